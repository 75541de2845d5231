#include "tui/app/script.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "base/standard_streams.h"
#include "text/time_text.h"
#include "tui/app/actions.h"
#include "tui/app/key_input.h"
#include "tui/app/loop.h"
#include "tui/app/mouse.h"
#include "tui/app/program.h"
#include "tui/app/trace_list.h"
#include "tui/context/state.h"
#include "tui/result/answer.h"
#include "tui/timeline/details_pane.h"
#include "tui/timeline/jump.h"
#include "tui/timeline/move.h"
#include "tui/timeline/place.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/update.h"
#include "tui/view/at_time.h"

enum {
    IDLE_SECONDS_MAX = 120,
    SHOWN_AROUND = 50 /* the part of the trace that is shown around a time, and no more */
};

struct script {
    struct app *app;
    const char *path;
    unsigned line;
};

__attribute__((format(printf, 2, 3))) static bool fail(const struct script *s, const char *format,
                                                       ...)
{
    va_list args;
    fprintf(standard_errors(), "%s:%u: ", s->path, s->line);
    va_start(args, format);
    vfprintf(standard_errors(), format, args);
    va_end(args);
    fputc('\n', standard_errors());
    return false;
}

static bool wait_jobs(const struct script *s, const struct timespec *start)
{
    struct app *a = s->app;
    struct timespec now;
    while (!app_is_idle(a) || app_take_next(a)) {
        struct pollfd fd = {.fd = a->wake_fd, .events = POLLIN};
        poll(&fd, 1, 50);
        app_take_jobs(a);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - start->tv_sec > IDLE_SECONDS_MAX)
            return fail(s, "still busy after %d s", IDLE_SECONDS_MAX);
    }
    return true;
}

/* A frame may ask for more: the flamegraph of what has just been loaded. */
static bool wait_idle(const struct script *s)
{
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        if (!wait_jobs(s, &start))
            return false;
        app_show(s->app);
    } while (!app_is_idle(s->app));
    return true;
}

/* Until there is a picture, which may be of a part of the trace. */
static bool wait_shown(const struct script *s)
{
    struct app *a = s->app;
    while (!a->opened && !app_is_idle(a)) {
        struct pollfd fd = {.fd = a->wake_fd, .events = POLLIN};
        poll(&fd, 1, 50);
        app_take_jobs(a);
    }
    app_show(a);
    return true;
}

/* What was left above the frame, and the frame. For free(). */
static char *screen_text(struct app *a)
{
    char *frame = cells_text(&a->cells), *all = NULL;
    if (asprintf(&all, "%s%s", term_printed(a->term), frame) < 0)
        return frame;
    free(frame);
    return all;
}

static bool on_screen(struct app *a, struct str text)
{
    char *screen = screen_text(a);
    char *wanted = alloc_copy(text.p, text.n);
    bool found = strstr(screen, wanted) != NULL;
    free(screen);
    free(wanted);
    return found;
}

static bool expect(const struct script *s, struct str text, bool wanted)
{
    app_show(s->app);
    if (on_screen(s->app, text) == wanted)
        return true;
    char *screen = screen_text(s->app);
    fail(s, "%s on the screen: %.*s", wanted ? "not" : "still", (int)text.n, text.p);
    fputs(screen, standard_errors());
    free(screen);
    return false;
}

static bool write_file(const struct script *s, const char *path, const char *text)
{
    struct status written = replace_or_write_text(path, text, strlen(text));
    bool good = status_ok(written) || fail(s, "%s", written.message);
    status_release(&written);
    return good;
}

static bool screenshot(const struct script *s, struct str path)
{
    struct app *a = s->app;
    char *name = alloc_copy(path.p, path.n), *text;
    app_show(a);
    if (str_ends(path, STR(".svg")))
        text = cells_svg(&a->cells, &a->theme, a->caret_x, a->caret_y);
    else if (str_ends(path, STR(".roles")))
        text = cells_roles(&a->cells);
    else if (str_ends(path, STR(".colours")))
        text = cells_colours(&a->cells, &a->theme);
    else
        text = screen_text(a);
    bool ok = write_file(s, name, text);
    free(text);
    free(name);
    return ok;
}

/* A query asked from outside, on the helper's connection. */
struct ask_job {
    struct job job;
    const struct trace *trace;
    struct answer *answer;
    struct status status;
    char *sql;
    bool *finished;
};

static void run_ask(struct job *job, struct worker *w)
{
    struct ask_job *ask = (struct ask_job *)job;
    struct sql_session *session = worker_session(w, ask->trace, &ask->status);
    if (status_ok(ask->status))
        ask->status = answer_ask(ask->answer, session, "script", str_from(ask->sql));
}

static effects finish_ask(struct job *job, struct app *a)
{
    struct ask_job *ask = (struct ask_job *)job;
    if (a)
        *ask->finished = true;
    return EFFECT_NONE;
}

static bool expect_sql(const struct script *s, struct str sql, struct str value)
{
    struct app *a = s->app;
    bool finished = false;
    struct ask_job ask = {.job = {run_ask, finish_ask, NULL},
                          .trace = &a->opened->trace,
                          .answer = answer_new(),
                          .sql = alloc_copy(sql.p, sql.n),
                          .finished = &finished};
    char text[512] = "";
    worker_push(a->helper, &ask.job);
    while (!finished) {
        struct pollfd fd = {.fd = a->wake_fd, .events = POLLIN};
        poll(&fd, 1, 50);
        app_take_jobs(a);
    }
    bool ok = status_ok(ask.status);
    if (!ok)
        fail(s, "%s", ask.status.message);
    if (ok && ask.answer->rows > 0) {
        struct sql_value v = answer_value(ask.answer, 0, 0);
        result_text(&v, text, sizeof text);
    }
    if (ok && !str_eq(str_from(text), value))
        ok = fail(s, "expected %.*s, got %s", (int)value.n, value.p, text);
    answer_free(ask.answer);
    status_release(&ask.status);
    free(ask.sql);
    return ok;
}

static void push_text(struct app *a, struct str text)
{
    struct key_event key = {.key = TK_PASTE, .text = text};
    term_push_key(a->term, key);
    app_handle_keys(a);
}

static bool push_key(const struct script *s, struct str name)
{
    uint32_t key = key_find(name);
    if (key == TK_NONE)
        return fail(s, "there is no key %.*s", (int)name.n, name.p);
    term_push_key(s->app->term, (struct key_event){.key = key});
    app_handle_keys(s->app);
    return true;
}

static bool go_to(const struct script *s, struct str place)
{
    app_place_settle(s->app);
    struct place_result result = app_go_to(s->app, place);
    app_apply(s->app, result.effects);
    return result.ok || fail(s, "%s", s->app->message);
}

static bool run_action(const struct script *s, struct str name)
{
    const struct action *action = action_find(name);
    if (!action) {
        struct status missing = action_missing(name);
        fail(s, "%s", missing.message);
        status_release(&missing);
        return false;
    }
    app_apply(s->app, action_call(s->app, action, -1));
    return true;
}

static bool resize(const struct script *s, struct str what)
{
    uint64_t w, h;
    size_t x = str_find(what, 'x');
    if (x == what.n || !str_to_u64(str_from_to(what, 0, x), 10, &w) ||
        !str_to_u64(str_skip(what, x + 1), 10, &h) || w > CELLS_MAX_WIDTH || h > CELLS_MAX_HEIGHT)
        return fail(s, "size WxH");
    term_close(s->app->term);
    s->app->term = term_open_headless((int)w, (int)h, s->app->look);
    app_show(s->app);
    return true;
}

/* "MousePress 40 12", "Ctrl-WheelUp 40 12". */
static bool mouse(const struct script *s, struct str what)
{
    size_t name = str_find(what, ' ');
    struct str rest = str_trim(str_skip(what, name));
    size_t x_end = str_find(rest, ' ');
    struct key_event event = {.key = key_find(str_from_to(what, 0, name))};
    uint64_t x, y;
    if (!mouse_is_event(&event) || x_end == rest.n ||
        !str_to_u64(str_from_to(rest, 0, x_end), 10, &x) ||
        !str_to_u64(str_skip(rest, x_end + 1), 10, &y) || x >= CELLS_MAX_WIDTH ||
        y >= CELLS_MAX_HEIGHT)
        return fail(s, "mouse KEY X Y");
    event.x = (int)x;
    event.y = (int)y;
    app_apply(s->app, app_key(s->app, &event));
    return true;
}

static bool run_command(const struct script *s, struct str line)
{
    struct str rest = line, name = str_cut(&rest, ' ');
    struct app *a = s->app;
    if (str_eq(name, STR("wait-idle")))
        return wait_idle(s);
    if (str_eq(name, STR("wait-shown")))
        return wait_shown(s);
    bool listed = trace_list_is_shown(a);
    if (!a->opened && !listed && !wait_idle(s))
        return false;
    if (!a->opened && (!listed || str_starts(name, STR("goto")) || str_eq(name, STR("expect-sql"))))
        return fail(s, "no trace is open");
    if (str_eq(name, STR("expect")))
        return expect(s, rest, true);
    if (str_eq(name, STR("expect-not")))
        return expect(s, rest, false);
    if (str_eq(name, STR("screenshot")))
        return screenshot(s, rest);
    if (str_eq(name, STR("goto")))
        return go_to(s, rest);
    if (str_eq(name, STR("size")))
        return resize(s, rest);
    if (str_eq(name, STR("type"))) {
        push_text(a, rest);
        return true;
    }
    if (str_eq(name, STR("mouse")))
        return mouse(s, rest);
    if (str_eq(name, STR("action")))
        return run_action(s, rest);
    if (str_eq(name, STR("expect-sql"))) {
        size_t last = rest.n;
        while (last > 0 && rest.p[last - 1] != ' ')
            last--;
        return expect_sql(s, str_from_to(rest, 0, last), str_skip(rest, last));
    }
    return fail(s, "there is no command :%.*s", (int)name.n, name.p);
}

static bool run_line(const struct script *s, struct str line)
{
    while (line.n > 1 && (line.p[line.n - 1] == ' ' || line.p[line.n - 1] == '\r'))
        line.n--;
    if (line.n == 0 || (line.p[0] == '#' && line.n > 1))
        return true;
    bool ok =
        line.p[0] == ':' && line.n > 1 ? run_command(s, str_skip(line, 1)) : push_key(s, line);
    app_take_jobs(s->app);
    app_take_list(s->app);
    app_show(s->app);
    return ok;
}

static bool go_to_time(const struct script *s, const char *at)
{
    struct app *a = s->app;
    struct time_text time;
    if (!time_text_read(str_from(at), &time)) {
        fprintf(standard_errors(),
                "%s: not a time: %s (614.037 is ms; 1.2s, 300us, 5ns, 1:02:03)\n", s->path, at);
        return false;
    }
    const struct timeline *tl = app_timeline(a);
    int64_t ts = time_text_resolve(time, tl->start, a->view->cursor.ts);
    wide_int around = ((wide_int)tl->end - tl->start) / SHOWN_AROUND;
    app_place_settle(a);
    if (!a->options.place)
        app_apply(a, app_set_window(a, ts - around / 2, around));
    app_leave_findings(a);
    app_apply(a, app_jump_time(a, ts));
    return wait_idle(s);
}

bool app_script_show(struct app *a, const char *at, FILE *out)
{
    struct script s = {.app = a, .path = "tptui show"};
    if (!wait_idle(&s) || (!a->opened && !a->program->list)) /* why not is told at the end */
        return false;
    if (a->program->place_failed)
        return fail(&s, "--goto: %s", a->message);
    if (at && a->opened && !go_to_time(&s, at))
        return false;
    app_show(a);
    char *text = screen_text(a);
    fputs(text, out);
    free(text);
    if (at && a->opened)
        at_time_print(out, app_timeline(a), app_tree(a), &a->view->viewport, a->view->cursor.ts);
    return true;
}

bool app_script_run(struct app *a, const char *path)
{
    struct script s = {.app = a, .path = path};
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    bool ok = true;
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    if (!f) {
        fprintf(standard_errors(), "%s: %s\n", path, strerror(errno));
        return false;
    }
    if (a->options.place) {
        ok = wait_idle(&s);
        if (ok && a->program->place_failed)
            ok = fail(&s, "--goto: %s", a->message);
    }
    while (ok && !a->quit && (n = getline(&line, &cap, f)) >= 0) {
        s.line++;
        ok = run_line(&s, (struct str){line, (size_t)n - (n > 0 && line[n - 1] == '\n')});
    }
    if (ferror(f)) { /* a folder opens as a file does */
        fprintf(standard_errors(), "%s: %s\n", path, strerror(errno));
        ok = false;
    }
    free(line);
    if (f != stdin)
        fclose(f);
    return ok;
}
