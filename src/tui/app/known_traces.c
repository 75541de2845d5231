#include "tui/app/known_traces.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "base/user_path.h"
#include "base/whole_file.h"
#include "tui/input/query_history.h"

/* More than are listed of a folder, so that what was found in them stays. */
enum { KNOWN_MAX = 2500, FINDING_MAX = 500, FILE_MAX_BYTES = 16 << 20, PATH_BYTES = 4096 };

static const char unseen[] = "?"; /* in place of a finding: nobody has looked */

static int64_t mtime_of(const struct stat *st)
{
    /* Only compared: it may wrap around. */
    return (int64_t)((uint64_t)st->st_mtim.tv_sec * 1000000000 + (uint64_t)st->st_mtim.tv_nsec);
}

/* OPENED SIZE MTIME FINDING<TAB>PATH */
static void read_line(struct known_traces *k, struct str line)
{
    struct known_trace t = {0};
    if (!str_to_i64(str_cut(&line, ' '), &t.opened_s) ||
        !str_to_i64(str_cut(&line, ' '), &t.size) || !str_to_i64(str_cut(&line, ' '), &t.mtime_ns))
        return;
    struct str finding = str_cut(&line, '\t');
    if (line.n == 0)
        return;
    if (!str_eq(finding, str_from(unseen)))
        t.finding = alloc_copy(finding.p, finding.n);
    t.path = query_text_read(line);
    *vec_push(&k->v) = t;
}

void known_traces_read(struct known_traces *k)
{
    char path[PATH_BYTES], *text = NULL;
    struct str rest = {0}, line;
    int fd;
    *k = (struct known_traces){0};
    if (!user_path(USER_STATE, "traces", path, sizeof path, false))
        return;
    struct status s = whole_file_open(path, &fd);
    if (status_ok(s))
        s = whole_file_read(fd, path, FILE_MAX_BYTES, &text, &rest.n);
    status_release(&s); /* there is none yet */
    rest.p = text;
    while (text && str_next_line(&rest, &line))
        read_line(k, line);
    free(text);
}

static void release_one(struct known_trace *t)
{
    free(t->path);
    free(t->finding);
}

void known_traces_release(struct known_traces *k)
{
    for (size_t i = 0; i < k->v.count; i++)
        release_one(&k->v.items[i]);
    vec_release(&k->v);
}

static struct known_trace *find(const struct known_traces *k, const char *path)
{
    for (size_t i = 0; i < k->v.count; i++)
        if (strcmp(k->v.items[i].path, path) == 0)
            return &k->v.items[i];
    return NULL;
}

const struct known_trace *known_traces_find(const struct known_traces *k, const char *path)
{
    struct stat st;
    char *full = realpath(path, NULL);
    const struct known_trace *t = full ? find(k, full) : NULL;
    bool same = t && stat(full, &st) == 0 && st.st_size == t->size && mtime_of(&st) == t->mtime_ns;
    free(full);
    return same ? t : NULL;
}

/* Text of a trace, in one line and without what ends a field, as much of it as a list shows. */
static char *line_of(const char *text)
{
    size_t n = strlen(text);
    if (n > FINDING_MAX)
        for (n = FINDING_MAX; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
            n--; /* not within a character */
    char *line = alloc_copy(text, n);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return line;
}

static int compare_opened(const void *a, const void *b)
{
    const struct known_trace *x = a, *y = b;
    return x->opened_s > y->opened_s ? -1 : x->opened_s < y->opened_s;
}

static struct status write_traces(void *self, FILE *f)
{
    const struct known_traces *k = self;
    for (size_t i = 0; i < k->v.count && i < KNOWN_MAX; i++) {
        const struct known_trace *t = &k->v.items[i];
        fprintf(f, "%" PRId64 " %" PRId64 " %" PRId64 " %s\t", t->opened_s, t->size, t->mtime_ns,
                t->finding ? t->finding : unseen);
        query_text_write(t->path, f);
    }
    return status_ok_value();
}

/* Only the finding of the file as it is now stays. */
static void note(struct known_trace *t, const struct stat *st, const char *finding, bool opened)
{
    bool same = t->size == st->st_size && t->mtime_ns == mtime_of(st);
    if (finding || !same) {
        free(t->finding);
        t->finding = finding ? line_of(finding) : NULL;
    }
    t->size = st->st_size;
    t->mtime_ns = mtime_of(st);
    if (opened)
        t->opened_s = time(NULL);
}

void known_traces_note(const char *path, const char *finding, bool opened)
{
    struct known_traces k;
    struct stat st;
    char file[PATH_BYTES], *full = realpath(path, NULL);
    if (!full || stat(full, &st) != 0 || !S_ISREG(st.st_mode) ||
        !user_path(USER_STATE, "traces", file, sizeof file, true)) {
        free(full);
        return;
    }
    known_traces_read(&k);
    struct known_trace *t = find(&k, full);
    if (!t) {
        t = vec_push(&k.v);
        *t = (struct known_trace){.path = alloc_copy(full, strlen(full))};
    }
    note(t, &st, finding, opened);
    qsort(k.v.items, k.v.count, sizeof *k.v.items, compare_opened);
    struct status s = replace_file(file, write_traces, &k);
    status_release(&s); /* what was kept before stays */
    known_traces_release(&k);
    free(full);
}
