#include "tui/view/descriptions.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/embedded_file.h"
#include "base/user_path.h"
#include "base/vec.h"
#include "base/whole_file.h"

extern const struct embedded_file description_files[];

enum { FILE_MAX = 1 << 20 };

/* Texts are in the arena. `pattern` begins with the kind, and a blank. */
struct description {
    const char *pattern, *sentence;
};

struct descriptions {
    struct arena arena;
    VEC(struct description) v; /* searched from the end: what came last goes first */
};

static const char *keep(struct descriptions *d, struct str s)
{
    return arena_copy(&d->arena, s).p;
}

/* Where ": " begins; line.n where it is not there. */
static size_t find_colon(struct str line)
{
    for (size_t i = 0; i + 1 < line.n; i++)
        if (line.p[i] == ':' && line.p[i + 1] == ' ')
            return i;
    return line.n;
}

static bool add_line(struct descriptions *d, struct str line)
{
    static const char *const kinds[] = {"slice ", "state ", "counter ", "ftrace "};
    size_t colon = find_colon(line);
    bool known = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        known |= str_starts(line, str_from(kinds[i])) && colon > strlen(kinds[i]);
    if (!known || colon == line.n)
        return false;
    *vec_push(&d->v) = (struct description){keep(d, str_from_to(line, 0, colon)),
                                            keep(d, str_trim(str_skip(line, colon + 1)))};
    return true;
}

static void reverse(struct descriptions *d, size_t from)
{
    for (size_t i = from, k = d->v.count; i + 1 < k; i++) {
        struct description other = d->v.items[--k];
        d->v.items[k] = d->v.items[i];
        d->v.items[i] = other;
    }
}

struct status descriptions_add(struct descriptions *d, const char *source, struct str text)
{
    size_t from = d->v.count;
    for (int number = 1; text.n > 0; number++) {
        struct str line = str_trim(str_cut(&text, '\n'));
        if (line.n > 0 && line.p[0] != '#' && !add_line(d, line))
            return status_error(
                STATUS_USAGE,
                "%s:%d: expected slice, state, counter or ftrace, a name and \": sentence\"",
                source, number);
    }
    reverse(d, from); /* of a text, the first goes first */
    return status_ok_value();
}

struct status descriptions_add_users(struct descriptions *d)
{
    char path[4096], *text = NULL;
    size_t n;
    int fd;
    if (!user_path(USER_CONFIG, "descriptions", path, sizeof path, false) ||
        access(path, F_OK) != 0)
        return status_ok_value();
    struct status s = whole_file_open(path, &fd);
    if (status_ok(s))
        s = whole_file_read(fd, path, FILE_MAX, &text, &n);
    if (status_ok(s))
        s = descriptions_add(d, path, (struct str){text, n});
    free(text);
    return s;
}

struct descriptions *descriptions_new(void)
{
    struct descriptions *d = alloc_array(1, sizeof *d);
    arena_init(&d->arena);
    for (const struct embedded_file *f = description_files; f->name; f++) {
        struct str text = {(const char *)f->bytes, f->size};
        struct status s = descriptions_add(d, f->name, text);
        status_release(&s); /* they are in order: a test reads them all */
    }
    return d;
}

void descriptions_free(struct descriptions *d)
{
    if (!d)
        return;
    arena_release(&d->arena);
    vec_release(&d->v);
    free(d);
}

const char *descriptions_find(const struct descriptions *d, const char *kind, const char *name)
{
    size_t n = strlen(kind);
    for (size_t i = d->v.count; i-- > 0;) {
        const struct description *at = &d->v.items[i];
        if (strncmp(at->pattern, kind, n) == 0 && at->pattern[n] == ' ' &&
            fnmatch(at->pattern + n + 1, name, 0) == 0)
            return at->sentence;
    }
    return NULL;
}

bool descriptions_at(const struct descriptions *d, size_t i, const char **pattern,
                     const char **sentence)
{
    if (i >= d->v.count)
        return false;
    const struct description *at = &d->v.items[d->v.count - 1 - i];
    *pattern = at->pattern;
    *sentence = at->sentence;
    return true;
}
