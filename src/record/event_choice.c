#include "record/event_choice.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <unistd.h>

#include "record/tracefs.h"

/* What the kernel lists, "system:name" a line, is also what can be enabled. */
static bool read_list(int tracefs, struct byte_list *text)
{
    return read_file_at(tracefs, "available_events", text);
}

static bool is_chosen(const struct event_choice *c, const char *both)
{
    for (size_t i = 0; i < c->chosen.count; i++)
        if (strcmp(c->chosen.items[i].both, both) == 0)
            return true;
    return false;
}

static bool has_function(struct str format)
{
    static const struct str marks[] = {{"%pS", 3}, {"%ps", 3}, {"%pF", 3}, {"%pf", 3}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (format.n && memmem(format.p, format.n, marks[i].p, marks[i].n))
            return true;
    return false;
}

static void choose(struct event_choice *c, int tracefs, struct str system, struct str name)
{
    char both[160], path[192];
    snprintf(both, sizeof both, "%.*s:%.*s", (int)system.n, system.p, (int)name.n, name.p);
    snprintf(path, sizeof path, "events/%.*s/%.*s/format", (int)system.n, system.p, (int)name.n,
             name.p);
    struct byte_list format = {0};
    if (!is_chosen(c, both) && read_file_at(tracefs, path, &format)) {
        struct str text = {(const char *)format.v.items, format.v.count};
        c->needs_symbols |= has_function(text);
        *vec_push(&c->chosen) = (struct chosen_event){
            .system = alloc_copy(system.p, system.n),
            .name = alloc_copy(name.p, name.n),
            .both = alloc_copy(both, strlen(both)),
            .format = alloc_copy(text.p, text.n),
            .is_syscall = str_eq(system, STR("syscalls")),
        };
    }
    vec_release(&format.v);
}

/* Whether a line of the list is meant by the pattern. */
static bool matches(const char *pattern, const char *line, const char *name)
{
    return fnmatch(pattern, strchr(pattern, ':') ? line : name, 0) == 0;
}

static bool add_pattern(struct event_choice *c, int tracefs, const struct byte_list *list,
                        struct str word)
{
    bool any = false;
    char *pattern = alloc_copy(word.p, word.n);
    struct str text = {(const char *)list->v.items, list->v.count}, line;
    while (str_next_line(&text, &line)) {
        char copy[160];
        size_t colon = str_find(line, ':');
        if (colon == line.n || line.n >= sizeof copy)
            continue;
        str_copy(line, copy, sizeof copy);
        if (!matches(pattern, copy, copy + colon + 1))
            continue;
        choose(c, tracefs, str_from_to(line, 0, colon), str_skip(line, colon + 1));
        any = true;
    }
    free(pattern);
    return any;
}

bool event_choice_add(struct event_choice *c, int tracefs, const char *patterns)
{
    struct byte_list list = {0};
    struct str rest = str_from(patterns);
    bool any = false;
    if (read_list(tracefs, &list))
        for (struct str word; (word = str_take_word(&rest)).n > 0;)
            any |= add_pattern(c, tracefs, &list, word);
    vec_release(&list.v);
    return any;
}

void event_choice_release(struct event_choice *c)
{
    for (size_t i = 0; i < c->chosen.count; i++) {
        struct chosen_event *e = &c->chosen.items[i];
        free(e->system);
        free(e->name);
        free(e->both);
        free(e->format);
    }
    vec_release(&c->chosen);
}
