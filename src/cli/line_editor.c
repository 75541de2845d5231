/* With libedit. */
#include "cli/line_editor.h"

#include <ctype.h>
#include <errno.h>
#include <histedit.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/alloc.h"
#include "base/standard_streams.h"
#include "base/vec.h"

/* Lines that are kept, and candidates that are listed. */
enum { HISTORY_LINES = 1000, LISTED_MAX = 60, LIST_COLUMN = 26 };

struct line_editor {
    EditLine *edit;
    History *history;
    FILE *terminal; /* stdout shows controls and does not send them (base/shown_stream.h) */
    char *path;     /* owned; NULL: nothing is kept */
    line_completer completer;
    void *self;
    const char *prompt;
};

static char *show_prompt(EditLine *edit)
{
    void *e;
    el_get(edit, EL_CLIENTDATA, &e);
    return (char *)(uintptr_t)((const struct line_editor *)e)->prompt;
}

/* How many of the candidate's first bytes are those of another one, whatever their case. */
static size_t common_length(const char *a, const char *b, size_t n)
{
    size_t i = 0;
    while (i < n && b[i] && lower_case(a[i]) == lower_case(b[i]))
        i++;
    return i;
}

/* Candidates that go on from what is typed, the likeliest first. */
struct matches {
    const char *first;
    size_t count, common; /* bytes that all begin with */
};

static bool is_match(const struct candidate *c, struct str typed)
{
    return compare_any_case_n(c->text, typed.p, typed.n) == 0;
}

static struct matches find_matches(const struct completion *c, struct str typed)
{
    struct matches m = {0};
    for (size_t i = 0; i < c->v.count; i++) {
        const char *text = c->v.items[i].text;
        if (!is_match(&c->v.items[i], typed))
            continue;
        m.common = m.count == 0 ? strlen(text) : common_length(m.first, text, m.common);
        m.first = m.count++ == 0 ? text : m.first;
    }
    return m;
}

static void list_matches(const struct completion *c, struct str typed)
{
    size_t listed = 0;
    putc('\n', standard_output());
    for (size_t i = 0; i < c->v.count && listed < LISTED_MAX; i++)
        if (is_match(&c->v.items[i], typed))
            fprintf(standard_output(), "%-*s%s", LIST_COLUMN - 1, c->v.items[i].text,
                    ++listed % 3 ? " " : "\n");
    if (listed % 3)
        putc('\n', standard_output());
    fflush(standard_output());
}

/* The line as bytes. libedit's own says a length that may be beyond its end. */
struct edited_line {
    VEC(char) bytes;
    size_t caret;
};

static void append_characters(struct edited_line *line, const wchar_t *from, const wchar_t *to)
{
    char bytes[MB_LEN_MAX];
    for (; from < to; from++) {
        mbstate_t state = {0};
        size_t n = wcrtomb(bytes, *from, &state);
        if (n != (size_t)-1)
            vec_append(&line->bytes, bytes, n);
    }
}

static struct edited_line edited_line(EditLine *edit)
{
    struct edited_line line = {0};
    const LineInfoW *info = el_wline(edit);
    vec_append(&line.bytes, "", 0); /* an empty line is one, too */
    append_characters(&line, info->buffer, info->cursor);
    line.caret = line.bytes.count;
    append_characters(&line, info->cursor, info->lastchar);
    return line;
}

static unsigned char complete_word(EditLine *edit, int key)
{
    void *self;
    (void)key;
    el_get(edit, EL_CLIENTDATA, &self);
    const struct line_editor *e = self;
    struct edited_line edited = edited_line(edit);
    struct str line = {edited.bytes.items, edited.bytes.count};
    struct completion c = {0};
    e->completer(e->self, line, edited.caret, &c);
    size_t from = c.from < edited.caret ? c.from : edited.caret;
    struct str typed = str_from_to(line, from, edited.caret);
    struct matches m = find_matches(&c, typed);
    unsigned char result = CC_ERROR;
    if (m.common > typed.n) {
        char *text = alloc_copy(m.first, m.common);
        el_deletestr(edit, (int)typed.n); /* a byte each: what is not ASCII is quoted */
        result = el_insertstr(edit, text) == 0 ? CC_REFRESH : CC_ERROR;
        free(text);
    } else if (m.count > 1) {
        list_matches(&c, typed);
        result = CC_REDISPLAY;
    }
    completion_release(&c);
    vec_release(&edited.bytes);
    return result;
}

/* Waits for a byte. Only Ctrl-C ends that early: it is let through here and nowhere else, so that
 * none is lost between two waits. */
static bool wait_for_key(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    sigset_t held;
    sigprocmask(SIG_BLOCK, NULL, &held);
    sigdelset(&held, SIGINT);
    sigaddset(&held, SIGALRM);
    return ppoll(&input, 1, NULL, &held) > 0;
}

/* A character for libedit: 1; 0 at the end of the input; -1 with errno. */
static int read_key(EditLine *edit, wchar_t *out)
{
    mbstate_t state = {0};
    (void)edit;
    for (char byte;;) {
        if (!wait_for_key())
            return -1;
        ssize_t n = read(STDIN_FILENO, &byte, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return (int)n;
        size_t used = mbrtowc(out, &byte, 1, &state);
        if (used == (size_t)-1)
            state = (mbstate_t){0}; /* what is no character is left out */
        else if (used != (size_t)-2)
            return 1;
    }
}

struct line_editor *line_editor_new(const char *path, line_completer completer, void *self)
{
    HistEvent event;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return NULL;
    setlocale(LC_CTYPE, "");
    struct line_editor *e = alloc_array(1, sizeof *e);
    e->completer = completer;
    e->self = self;
    int fd = dup(STDOUT_FILENO);
    e->terminal = fd < 0 ? NULL : fdopen(fd, "w");
    e->edit = e->terminal ? el_init("tptui", stdin, e->terminal, e->terminal) : NULL;
    e->history = history_init();
    if (!e->edit || !e->history) {
        line_editor_free(e);
        return NULL;
    }
    e->path = path ? alloc_copy(path, strlen(path)) : NULL;
    history(e->history, &event, H_SETSIZE, HISTORY_LINES);
    history(e->history, &event, H_SETUNIQUE, 1);
    if (e->path)
        history(e->history, &event, H_LOAD, e->path);
    el_set(e->edit, EL_CLIENTDATA, e);
    el_set(e->edit, EL_PROMPT, show_prompt);
    el_set(e->edit, EL_EDITOR, "emacs");
    el_wset(e->edit, EL_GETCFN, read_key);
    el_set(e->edit, EL_HIST, history, e->history);
    el_set(e->edit, EL_ADDFN, "tptui-complete", "completes names of SQL", complete_word);
    el_set(e->edit, EL_BIND, "^I", "tptui-complete", NULL);
    el_set(e->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(e->edit, NULL);
    return e;
}

void line_editor_free(struct line_editor *e)
{
    if (!e)
        return;
    if (e->edit)
        el_end(e->edit);
    if (e->history)
        history_end(e->history);
    if (e->terminal)
        fclose(e->terminal);
    free(e->path);
    free(e);
}

static void remember(struct line_editor *e, const char *line)
{
    HistEvent event;
    if (!*line)
        return;
    history(e->history, &event, H_ENTER, line);
    if (e->path)
        history(e->history, &event, H_SAVE, e->path);
}

char *line_editor_read(struct line_editor *e, const char *prompt, bool *interrupted)
{
    int n = 0;
    e->prompt = prompt;
    el_resize(e->edit); /* the terminal may have changed meanwhile */
    errno = 0;
    const char *line = el_gets(e->edit, &n);
    *interrupted = !line && errno == EINTR;
    if (!line || n <= 0) {
        el_reset(e->edit);
        putc('\n', standard_output());
        fflush(standard_output());
        return NULL;
    }
    char *copy = alloc_copy(line, strcspn(line, "\n"));
    remember(e, copy);
    return copy;
}

void line_editor_lines(struct line_editor *e, void (*visit)(void *self, struct str line),
                       void *self)
{
    HistEvent event;
    for (int found = history(e->history, &event, H_FIRST); found >= 0;
         found = history(e->history, &event, H_NEXT))
        visit(self, str_from(event.str));
    history(e->history, &event, H_FIRST); /* where arrow keys begin */
}
