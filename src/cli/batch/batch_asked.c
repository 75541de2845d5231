/* What is asked of traces, as a number: rows that are kept are of one such number. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/build_id.h"
#include "base/content_hash.h"
#include "cli/batch/batch.h"
#include "explain/alerts.h"
#include "sql/engine/sql_folder.h"
#include "sql/functions/wattson_curves.h"

/* In the order of the table, not of the command line. */
static void add_options(struct content_hash *h, const struct batch_settings *b)
{
    for (size_t i = 0; i < batch_cmd.options->count; i++) {
        const struct command_option *o = &batch_cmd.options->options[i];
        for (size_t k = 0; k < b->given.count; k++) {
            const struct batch_given *g = &b->given.items[k];
            if (g->option != o || o->rows != OPTION_ROWS_VALUE)
                continue;
            content_hash_add_text(h, str_from(o->name));
            content_hash_add_text(h, str_from(g->value ? g->value : ""));
        }
    }
}

static void add_file(void *self, const char *below, struct str text)
{
    struct content_hash *h = self;
    content_hash_add_text(h, str_from(below));
    content_hash_add_text(h, text);
    free((void *)(uintptr_t)text.p);
}

/* As sql_session_add_package reads them; what cannot be read fails there. */
static void add_packages(struct content_hash *h, const struct batch_settings *b)
{
    for (size_t i = 0; i < b->workspace.packages.count; i++) {
        const struct sql_package *p = &b->workspace.packages.items[i];
        content_hash_add_text(h, str_from(p->name));
        struct status s = sql_folder_read(p->folder, ".sql", false, add_file, h);
        status_release(&s);
    }
}

static void add_curves(struct content_hash *h, const struct batch_settings *b)
{
    char path[4096];
    const char *folder = wattson_curves_folder(b->workspace.curves, path, sizeof path);
    struct status s =
        folder ? sql_folder_read(folder, ".csv", false, add_file, h) : status_ok_value();
    status_release(&s);
}

static void add_alerts(struct content_hash *h)
{
    struct status s;
    const struct alerts *alerts = alert_rules(&s);
    status_release(&s);
    char *text = alerts_text(alerts);
    content_hash_add_text(h, str_from(text));
    free(text);
}

uint64_t batch_asked(const struct batch_settings *b)
{
    struct content_hash h = content_hash_begin();
    content_hash_add_text(&h, build_id());
    content_hash_add_text(&h, str_from(sqlite3_sourceid()));
    add_options(&h, b);
    content_hash_add(&h, &b->scripts.count, sizeof b->scripts.count);
    for (size_t i = 0; i < b->scripts.count; i++)
        content_hash_add_text(&h, text_file_str(&b->scripts.items[i]));
    content_hash_add(&h, &b->summaries.count, sizeof b->summaries.count);
    for (size_t i = 0; i < b->summaries.count; i++) {
        const char *slash = strrchr(b->summaries.items[i].name, '/');
        /* Its name says what it is: a spec as text or binary. */
        content_hash_add_text(&h, str_from(slash ? slash + 1 : b->summaries.items[i].name));
        content_hash_add_text(&h, text_file_str(&b->summaries.items[i]));
    }
    add_packages(&h, b);
    add_curves(&h, b);
    add_alerts(&h);
    return content_hash_end(&h);
}
