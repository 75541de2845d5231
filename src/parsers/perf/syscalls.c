#include "parsers/perf/syscalls.h"

#include <stdio.h>

#include "text/syscalls.h"

enum { NAMES_MOST = 1024 };

void perf_syscalls_release(struct perf_syscalls *s)
{
    vec_release(&s->names);
}

static string_id make_name(const struct perf_syscalls *s, struct trace *t, uint64_t number)
{
    char text[64];
    const char *name = syscall_name(string_pool_get(&t->strings, s->arch), number);
    int n = name ? snprintf(text, sizeof text, "sys_%s", name)
                 : snprintf(text, sizeof text, "sys_%llu", (unsigned long long)number);
    return trace_intern(t, (struct str){text, (size_t)n});
}

string_id perf_syscall_name(struct perf_syscalls *s, struct trace *t, uint64_t number)
{
    if (number >= NAMES_MOST)
        return make_name(s, t, number);
    while (s->names.count <= number)
        *vec_push(&s->names) = NULL_STRING;
    string_id *name = &s->names.items[number];
    if (!*name)
        *name = make_name(s, t, number);
    return *name;
}

/* Of sigreturn nobody comes back: the thread goes on where the signal interrupted it. */
void perf_syscall_enter(struct trace *t, int64_t ts, uint32_t utid, string_id name,
                        const struct arg_list *args)
{
    uint32_t track = track_thread(t, utid);
    bool returns = name != trace_intern(t, STR("sys_rt_sigreturn"));
    uint32_t slice = returns ? slice_begin(t, ts, track, NULL_STRING, name)
                             : slice_complete(t, ts, 0, track, NULL_STRING, name);
    struct arg_list *list = slice != NULL_U32 ? slice_args(t, track, slice) : NULL;
    for (size_t i = 0; list && args && i < args->v.count; i++)
        arg_list_add(list, args->v.items[i]);
}

void perf_syscall_exit(struct perf_syscalls *s, struct trace *t, int64_t ts, uint32_t utid,
                       string_id name, int64_t result)
{
    uint32_t track = track_thread(t, utid);
    uint32_t slice = slice_find_end(t, ts, track, NULL_STRING, name);
    if (slice == NULL_U32)
        return;
    if (!s->return_key)
        s->return_key = trace_intern(t, STR("ret"));
    struct arg_list *list = slice_args(t, track, slice);
    if (list)
        arg_list_int(list, s->return_key, result);
    slice_end(t, ts, track, NULL_STRING, name);
}
