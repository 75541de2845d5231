#include "tui/app/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "base/own_file.h"
#include "base/standard_streams.h"
#include "base/user_path.h"
#include "base/whole_file.h"
#include "tui/app/program.h"
#include "tui/context/state.h"
#include "tui/context/text_view.h"
#include "tui/input/query_history.h"
#include "tui/query/query_track.h"
#include "tui/timeline/marks.h"
#include "tui/timeline/place.h"
#include "tui/timeline/row_marks.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/tracks.h"

static const char first_line[] = "tptui session 1";

enum { SESSION_MAX_BYTES = 64 << 20, PATH_BYTES = 4096 };

/* FNV-1a: the name of a file that is kept must not depend on the build. */
static uint64_t name_of(const char *path)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *path; path++)
        h = (h ^ (unsigned char)*path) * UINT64_C(0x100000001b3);
    return h;
}

/* Where the session is kept; false where nowhere. */
static bool session_path(const struct app *a, char out[PATH_BYTES], bool make)
{
    char name[40], *full = NULL;
    if (a->options.session)
        return snprintf(out, PATH_BYTES, "%s", a->options.session) < PATH_BYTES;
    if (a->options.script || a->options.pair.b || !(full = realpath(a->options.path, NULL)))
        return false;
    snprintf(name, sizeof name, "session-%016" PRIx64, name_of(full));
    free(full);
    return user_path(USER_STATE, name, out, PATH_BYTES, make);
}

static int64_t trace_size(const struct app *a)
{
    struct stat st;
    return stat(a->options.path, &st) == 0 ? (int64_t)st.st_size : -1;
}

/* ---- reading ---- */

static struct str next_word(struct str *rest)
{
    *rest = str_trim(*rest);
    struct str word = str_cut(rest, ' ');
    return word;
}

static void read_area(struct app *a, struct str rest)
{
    int64_t from, to;
    if (!str_to_i64(next_word(&rest), &from) || !str_to_i64(next_word(&rest), &to) || to <= from)
        return;
    a->view->band.v.count = 0;
    a->view->band.all = false;
    for (struct str word; (word = next_word(&rest)).n > 0;) {
        struct row_id row;
        bool below = str_ends(word, STR("+"));
        word.n -= below;
        if (str_eq(word, STR("all")))
            a->view->band.all = true;
        else if (row_word_parse(a, word, &row) && row.node != NO_NODE)
            *vec_push(&a->view->band.v) = (struct band_node){row.node, below};
    }
    if (a->view->band.all || a->view->band.v.count > 0)
        a->view->area = (struct area){true, from, to, &a->view->band};
    band_sort(&a->view->band);
}

static void read_mark(struct app *a, struct str rest)
{
    int64_t ts;
    struct row_id row;
    if (!str_to_i64(next_word(&rest), &ts) || !row_word_parse(a, next_word(&rest), &row))
        return;
    struct timeline_cursor cursor = {.key = row, .ts = ts};
    app_put_mark(a, &cursor, str_trim(rest));
}

void foreign_sql_release(struct foreign_sql *f)
{
    for (size_t i = 0; i < f->tracks.count; i++)
        free(f->tracks.items[i]);
    vec_release(&f->tracks);
}

static void run_foreign(struct app *a)
{
    for (size_t i = 0; i < a->program->foreign_sql.tracks.count; i++)
        query_track_ask(a, str_from(a->program->foreign_sql.tracks.items[i]),
                        &a->program->track_spent);
    foreign_sql_release(&a->program->foreign_sql);
}

static void show_foreign(struct app *a)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return;
    for (size_t i = 0; i < a->program->foreign_sql.tracks.count; i++)
        fprintf(f, "%s\n\n", a->program->foreign_sql.tracks.items[i]);
    fclose(f);
    app_show_text(a, STR("What the session runs"), (struct str){text, size});
    free(text);
}

/* What was not run is not kept either: the file stays as it is. */
effects foreign_sql_key(struct app *a, uint32_t key)
{
    if (key == 's') {
        show_foreign(a);
    } else if (key == 'y') {
        a->overlay = OVERLAY_NONE;
        a->program->forget_session = false;
        run_foreign(a);
    } else if (key == 'n' || key == 'q' || key == TK_ESC) {
        a->overlay = OVERLAY_NONE;
        foreign_sql_release(&a->program->foreign_sql);
        app_say(a, "the session's SQL does not run, and nothing is kept at the end");
    }
    return EFFECT_NONE;
}

static void ask_about_foreign(struct app *a, const char *path)
{
    if (a->program->foreign_sql.tracks.count == 0)
        return;
    a->program->forget_session = true;
    if (!a->options.script) {
        a->overlay = OVERLAY_FOREIGN_SQL;
        return;
    }
    status_release(&a->program->load_error);
    a->program->load_error =
        status_error(STATUS_USAGE, "%s: its SQL is refused, as %s: --allow-foreign-sql runs it",
                     path, a->program->foreign_sql.why);
    a->quit = true;
}

static void ask_track(struct app *a, const char *track)
{
    if (a->program->foreign_sql.why[0])
        *vec_push(&a->program->foreign_sql.tracks) = alloc_copy(track, strlen(track));
    else
        query_track_ask(a, str_from(track), &a->program->track_spent);
}

static effects read_line(struct app *a, struct str line, bool *fits)
{
    struct str rest = line, name = next_word(&rest);
    int64_t size;
    if (str_eq(name, STR("trace"))) {
        *fits =
            a->options.session || (str_to_i64(next_word(&rest), &size) && size == trace_size(a));
        return EFFECT_NONE;
    }
    if (!*fits)
        return EFFECT_NONE;
    if (str_eq(name, STR("place")))
        return app_open_place(a, rest).effects;
    if (str_eq(name, STR("filter")))
        return app_show_filtered(a, rest);
    if (str_eq(name, STR("track"))) {
        char *track = query_text_read(rest);
        ask_track(a, track);
        free(track);
    } else if (str_eq(name, STR("area")))
        read_area(a, rest);
    else if (str_eq(name, STR("mark")))
        read_mark(a, rest);
    return EFFECT_NONE;
}

/* The text of the file and whether its SQL is to be asked about. */
static struct status read_file(struct app *a, const char *path, char **text, size_t *n)
{
    int fd;
    struct foreign_sql *foreign = &a->program->foreign_sql;
    struct status s = whole_file_open(path, &fd);
    if (!status_ok(s))
        return s;
    if (a->options.foreign_sql || own_file_trusted(fd, path, foreign->why, sizeof foreign->why))
        foreign->why[0] = '\0';
    s = whole_file_read(fd, path, SESSION_MAX_BYTES, text, n);
    struct str rest = {*text, *n}, line;
    if (status_ok(s) && str_next_line(&rest, &line) && !str_eq(line, str_from(first_line)))
        s = status_error(STATUS_FORMAT, "%s is no session", path);
    return s;
}

/* What is something else is not written over either. */
static void refuse_file(struct app *a, struct status s)
{
    app_complain(a, "%s", s.message);
    a->program->forget_session = true;
    status_release(&s);
}

/* Where it is kept; false where there is none. */
static bool find_session(const struct app *a, char path[PATH_BYTES])
{
    return session_path(a, path, false) && access(path, F_OK) == 0;
}

bool app_session_exists(const struct app *a)
{
    char path[PATH_BYTES];
    return find_session(a, path);
}

effects app_session_open(struct app *a)
{
    char path[PATH_BYTES], *text = NULL;
    effects e = EFFECT_NONE;
    bool fits = false;
    struct str rest = {0}, line;
    if (!find_session(a, path))
        return e;
    struct status s = read_file(a, path, &text, &rest.n);
    if (!status_ok(s))
        refuse_file(a, s);
    rest.p = text;
    if (status_ok(s))
        str_next_line(&rest, &line);
    while (status_ok(s) && str_next_line(&rest, &line))
        e |= read_line(a, line, &fits);
    free(text);
    ask_about_foreign(a, path);
    struct foreign_sql *foreign = &a->program->foreign_sql;
    foreign->why[0] = foreign->tracks.count ? foreign->why[0] : '\0';
    if (fits)
        app_say(a, "as you left it; 0 shows the whole trace, forget-session in the palette starts "
                   "anew");
    return e;
}

/* ---- writing ---- */

static void write_area(FILE *f, const struct app *a)
{
    fprintf(f, "area %" PRId64 " %" PRId64, a->view->area.from, a->view->area.to);
    if (a->view->band.all)
        fputs(" all", f);
    for (size_t i = 0; i < a->view->band.v.count && !a->view->band.all; i++) {
        char word[ROW_WORD_MAX];
        struct row_id row = {.node = a->view->band.v.items[i].node};
        row_word_print(a, &row, word);
        fprintf(f, " %s%s", word, a->view->band.v.items[i].below ? "+" : "");
    }
    fputc('\n', f);
}

static void write_line(FILE *f, const char *text)
{
    for (; *text; text++)
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, f);
    fputc('\n', f);
}

static void write_session(FILE *f, struct app *a)
{
    char *place = app_print_place(a), *full = realpath(a->options.path, NULL);
    fprintf(f, "%s\ntrace %" PRId64 " ", first_line, trace_size(a));
    write_line(f, full ? full : a->options.path);
    fprintf(f, "place %s\n", place);
    if (a->view->filter[0]) {
        fputs("filter ", f);
        write_line(f, a->view->filter);
    }
    if (a->view->area.on)
        write_area(f, a);
    for (size_t i = 0; i < app_tree(a)->debug.count; i++) {
        const struct debug_track *d = app_tree(a)->debug.items[i];
        if (!row_marks_remade(d))
            continue;
        fprintf(f, "track %s=", d->label);
        query_text_write(d->sql, f);
    }
    for (size_t i = 0; i < app_tree(a)->arrows.queries.count; i++) {
        const struct arrow_query *q = &app_tree(a)->arrows.queries.items[i];
        if (!q->sql[0] || strchr(q->label, '='))
            continue;
        fprintf(f, "track %s=", q->label);
        query_text_write(q->sql, f);
    }
    for (size_t i = 0; i < a->view->notes.count; i++) {
        const struct note *note = &a->view->notes.items[i];
        char word[ROW_WORD_MAX];
        row_word_print(a, &note->cursor.key, word);
        fprintf(f, "mark %" PRId64 " %s ", note->mark.ts, word);
        write_line(f, note->text);
    }
    free(place);
    free(full);
}

static struct status write_session_file(void *app, FILE *f)
{
    write_session(f, app);
    return status_ok_value();
}

char *app_session_print(struct app *a)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    write_session(f, a);
    fclose(f);
    return text;
}

effects app_session_read(struct app *a, const char *text)
{
    effects e = EFFECT_NONE;
    struct str rest = str_from(text);
    for (struct str line; str_next_line(&rest, &line);) {
        bool fits = true;
        if (!str_starts(line, STR("trace ")) && !str_eq(line, str_from(first_line)))
            e |= read_line(a, line, &fits);
    }
    return e;
}

void app_session_keep(struct app *a)
{
    char path[PATH_BYTES];
    if (!a->opened)
        return;
    size_t tracks = 0;
    for (size_t i = 0; i < app_tree(a)->debug.count; i++)
        tracks += app_tree(a)->debug.items[i]->sql != NULL;
    bool built = a->view->notes.count > 0 || a->view->history.back.count > 0 || a->view->area.on ||
                 a->view->filter[0] || tracks > 0;
    if (a->options.below_prompt || a->program->forget_session || !built ||
        !session_path(a, path, true))
        return;
    struct status s = replace_or_write_file(path, write_session_file, a);
    if (!status_ok(s) && a->options.session)
        fprintf(standard_errors(), "tptui: %s\n", s.message);
    status_release(&s);
}

effects app_session_forget(struct app *a)
{
    char path[PATH_BYTES];
    a->program->forget_session = true;
    if (session_path(a, path, false))
        unlink(path);
    app_say(a, "what was kept of this trace is forgotten, and nothing is kept at the end");
    return EFFECT_NONE;
}
