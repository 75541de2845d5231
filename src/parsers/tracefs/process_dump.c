#include "parsers/tracefs/process_dump.h"

#include "core/trace_builder.h"

enum { WORDS_MAX = 10, PROCESS_WORDS = 9, THREAD_WORDS = 4 };

enum columns { COLUMNS_PROCESS, COLUMNS_THREAD };

struct dump_words {
    struct str w[WORDS_MAX]; /* the last one is all the rest */
    size_t count;
};

static struct dump_words split(struct str line, size_t most)
{
    struct dump_words words = {.count = 0};
    line = str_trim(line);
    while (line.n > 0 && words.count < most) {
        size_t n = words.count + 1 < most ? str_find(line, ' ') : line.n;
        words.w[words.count++] = str_from_to(line, 0, n);
        line = str_trim(str_skip(line, n));
    }
    return words;
}

static bool is(const struct dump_words *words, size_t i, const char *text)
{
    return i < words->count && str_eq(words->w[i], str_from(text));
}

static bool read_id(struct str text, int64_t *out)
{
    uint64_t id;
    if (!str_to_u64(text, 10, &id) || id > UINT32_MAX)
        return false;
    *out = (int64_t)id;
    return true;
}

/* user pid ppid vsz rss wchan pc s name, and what it was called with */
static void add_process(struct trace *t, struct str line)
{
    struct dump_words words = split(line, WORDS_MAX);
    uint32_t machine = stats_scope(t)->machine;
    int64_t pid, ppid;
    if (words.count < PROCESS_WORDS || !read_id(words.w[1], &pid) || !read_id(words.w[2], &ppid))
        return;
    uint32_t parent = process_tracker_process(t, machine, ppid);
    uint32_t upid =
        process_tracker_set_process(t, machine, pid, trace_intern(t, words.w[8]), NULL_STRING);
    process_tracker_set_parent(t, upid, parent, NULL);
}

/* user pid tid, and the thread's name: all of the line's rest, with the blanks at its end */
static void add_thread(struct trace *t, struct str line)
{
    struct dump_words words = split(line, THREAD_WORDS);
    int64_t pid, tid;
    if (words.count < THREAD_WORDS || !read_id(words.w[1], &pid) || !read_id(words.w[2], &tid))
        return;
    uint32_t utid = process_tracker_update_thread(t, stats_scope(t)->machine, tid, pid);
    struct str name = str_skip(line, (size_t)(words.w[3].p - line.p));
    if (name.p[name.n - 1] == '\r')
        name.n--;
    process_tracker_set_thread_name(t, utid, trace_intern(t, name), THREAD_NAME_OTHER);
}

void process_dump_read(struct trace *t, struct str text)
{
    enum columns columns = COLUMNS_PROCESS;
    for (struct str line; str_next_line(&text, &line);) {
        struct dump_words head = split(line, WORDS_MAX);
        if (is(&head, 0, "USER") && is(&head, 1, "PID"))
            columns = is(&head, 2, "TID") ? COLUMNS_THREAD : COLUMNS_PROCESS;
        else if (columns == COLUMNS_THREAD)
            add_thread(t, line);
        else
            add_process(t, line);
    }
}
