#include "tui/input/query_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output_file.h"
#include "base/alloc.h"
#include "base/user_path.h"
#include "base/whole_file.h"

enum { HISTORY_MAX = 500, HISTORY_FILE_MAX = 64 << 20 };

static void add_text(struct query_text_list *list, struct str text)
{
    size_t n = list->v.count;
    if (text.n == 0 || (n > 0 && str_eq(str_from(list->v.items[n - 1]), text)))
        return;
    *vec_push(&list->v) = alloc_copy(text.p, text.n);
}

/* \n and \\ stand for a line's end and a backslash. */
char *query_text_read(struct str line)
{
    char *text = alloc_bytes(line.n + 1);
    size_t used = 0;
    for (size_t i = 0; i < line.n; i++) {
        bool escaped = line.p[i] == '\\' && i + 1 < line.n;
        text[used++] = !escaped ? line.p[i] : line.p[++i] == 'n' ? '\n' : line.p[i];
    }
    text[used] = '\0';
    return text;
}

static void read_list(struct query_text_list *list, const char *name)
{
    char path[4096], *all = NULL;
    struct str rest = {0};
    int fd;
    if (!user_path(USER_STATE, name, path, sizeof path, false))
        return;
    struct status s = whole_file_open(path, &fd);
    if (status_ok(s))
        s = whole_file_read(fd, path, HISTORY_FILE_MAX, &all, &rest.n);
    status_release(&s); /* there is none yet */
    rest.p = all;
    for (struct str line; all && str_next_line(&rest, &line);) {
        char *text = query_text_read(line);
        add_text(list, str_from(text));
        free(text);
    }
    free(all);
}

void query_text_write(const char *text, FILE *f)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\n')
            fputs("\\n", f);
        else if (*c == '\\')
            fputs("\\\\", f);
        else
            fputc(*c, f);
    }
    fputc('\n', f);
}

static struct status write_texts(void *self, FILE *f)
{
    const struct query_text_list *list = self;
    size_t first = list->v.count > HISTORY_MAX ? list->v.count - HISTORY_MAX : 0;
    for (size_t i = first; i < list->v.count; i++)
        query_text_write(list->v.items[i], f);
    return status_ok_value();
}

static void write_list(const struct query_text_list *list, const char *name)
{
    char path[4096];
    if (!user_path(USER_STATE, name, path, sizeof path, true))
        return;
    struct status s = replace_file(path, write_texts, (void *)(uintptr_t)list);
    status_release(&s); /* what was kept before stays */
}

void query_history_init(struct query_history *h)
{
    read_list(&h->texts, "history");
    read_list(&h->favourites, "favourites");
    h->at = h->texts.v.count;
}

static void release_list(struct query_text_list *list)
{
    for (size_t i = 0; i < list->v.count; i++)
        free(list->v.items[i]);
    vec_release(&list->v);
}

void query_history_release(struct query_history *h)
{
    release_list(&h->texts);
    release_list(&h->favourites);
    free(h->draft);
}

void query_history_add(struct query_history *h, struct str text)
{
    add_text(&h->texts, text);
    h->at = h->texts.v.count;
    write_list(&h->texts, "history");
}

const char *query_history_step(struct query_history *h, int direction, struct str typed)
{
    size_t count = h->texts.v.count;
    if (direction < 0 ? h->at == 0 : h->at >= count)
        return NULL;
    if (direction < 0 && h->at == count && str_eq(typed, str_from(h->texts.v.items[count - 1]))) {
        if (count == 1) /* what is shown is the only one */
            return NULL;
        h->at--;
    }
    if (h->at == count) {
        free(h->draft);
        h->draft = alloc_copy(typed.p, typed.n);
    }
    h->at = direction < 0 ? h->at - 1 : h->at + 1;
    return h->at < count ? h->texts.v.items[h->at] : h->draft ? h->draft : "";
}

static size_t find_favourite(const struct query_history *h, struct str text)
{
    size_t i = 0;
    while (i < h->favourites.v.count && !str_eq(str_from(h->favourites.v.items[i]), text))
        i++;
    return i;
}

bool query_history_is_favourite(const struct query_history *h, struct str text)
{
    return find_favourite(h, text) < h->favourites.v.count;
}

bool query_history_toggle_favourite(struct query_history *h, struct str text)
{
    size_t at = find_favourite(h, text);
    bool add = at == h->favourites.v.count && text.n > 0;
    if (add) {
        *vec_push(&h->favourites.v) = alloc_copy(text.p, text.n);
    } else if (at < h->favourites.v.count) {
        free(h->favourites.v.items[at]);
        h->favourites.v.count--;
        memmove(h->favourites.v.items + at, h->favourites.v.items + at + 1,
                (h->favourites.v.count - at) * sizeof(char *));
    }
    write_list(&h->favourites, "favourites");
    return add;
}
