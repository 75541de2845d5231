/* tptui cache: what is kept of traces that took long to load. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/standard_streams.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "parsers/cache.h"

struct cache_settings {
    const char *word;   /* "list" or "clear" */
    const char *folder; /* NULL: the user's */
};

static const struct command_option options[] = {
    CACHE_FOLDER_OPTION(OPTION_INTO(struct cache_settings, folder)),
};

static const struct option_table cache_options = {"cache", options,
                                                  sizeof options / sizeof *options};

static int add_word(void *self, const char *word)
{
    struct cache_settings *c = self;
    if (c->word || (strcmp(word, "list") != 0 && strcmp(word, "clear") != 0))
        return usage_error("cache: expected list or clear, not %s", word);
    c->word = word;
    return EXIT_DONE;
}

static const char *const uses[] = {
    [CACHE_USABLE] = "",
    [CACHE_OTHER_VERSION] = "another version of the program's: ",
    [CACHE_NO_TRACE] = "no longer there: ",
    [CACHE_TRACE_CHANGED] = "has changed since: ",
    [CACHE_DAMAGED] = "damaged",
};

/* When it was used last, how large it is and the trace is, in bytes, which trace, and why it is of
 * no use where it is not. */
static void print_entry(const struct cache_entry *e)
{
    char when[sizeof "2026-01-01 00:00"];
    struct tm tm;
    time_t used = e->used_s;
    if (!localtime_r(&used, &tm) || strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm) == 0)
        when[0] = '\0';
    char *name = text_escape(str_from(e->trace));
    fprintf(standard_output(), "%-16s  %12" PRIu64 "  %12" PRIu64 "  %s%s\n", when, e->size,
            e->trace_size, uses[e->use], name);
    free(name);
}

static int list(const char *folder)
{
    struct cache_list all = {.folder = folder};
    uint64_t size = 0;
    cache_list_read(&all);
    cache_list_look(&all);
    if (all.v.count > 0)
        fprintf(standard_output(), "%-16s  %12s  %12s  %s\n", "used", "bytes", "trace", "of");
    for (size_t i = 0; i < all.v.count; i++) {
        print_entry(&all.v.items[i]);
        size += all.v.items[i].size;
    }
    fprintf(standard_output(), "%zu kept, %" PRIu64 " bytes", all.v.count, size);
    if (all.v.count > 0)
        fprintf(standard_output(), " of at most %" PRIu64 ", for %d days from when they were used",
                cache_room(&all), CACHE_DAYS);
    fputc('\n', standard_output());
    cache_list_release(&all);
    return EXIT_DONE;
}

static int cache_command(int argc, char **argv)
{
    struct cache_settings c = {0};
    int status = options_parse(&cache_options, &c, add_word, argc, argv);
    if (status != EXIT_DONE)
        return status;
    if (!c.word)
        return usage_error("cache: expected list or clear");
    if (strcmp(c.word, "list") == 0)
        return list(c.folder);
    fprintf(standard_output(), "%zu removed\n", cache_clear(c.folder));
    return EXIT_DONE;
}

const struct command cache_cmd = {
    .name = "cache",
    .usage = "list\0what is kept of traces that took long to load\0"
             "clear\0remove it\0",
    .words = "list|clear",
    .options = &cache_options,
    .run = cache_command,
};
