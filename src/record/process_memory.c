/* How much memory each process has, by /proc/PID/status. */
#include <dirent.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "pb_fields.h"
#include "record/proc_file.h"
#include "record/source.h"

enum {
    SEQUENCE = FIRST_SOURCE_SEQUENCE + 4,
    POLL_MS = 1000,
    WHOLE_POLLS = 30, /* then all is told again: pids come again */
    TIME_SHARE = 50,  /* reading takes at most this part of the time */
    PACKET_BYTES = 1 << 16,
};

struct process_memory {
    struct map told; /* pid -> hash of what was told of it */
    unsigned polls;
    uint64_t due; /* not before, however often it is polled */
    struct pb_bytes entry, stats;
    struct byte_list text;
};

static const struct {
    struct str key;
    uint32_t field;
} lines[] = {
    {{"VmSize", 6}, PB_ProcessStats_Process_vm_size_kb},
    {{"VmLck", 5}, PB_ProcessStats_Process_vm_locked_kb},
    {{"VmHWM", 5}, PB_ProcessStats_Process_vm_hwm_kb},
    {{"VmRSS", 5}, PB_ProcessStats_Process_vm_rss_kb},
    {{"RssAnon", 7}, PB_ProcessStats_Process_rss_anon_kb},
    {{"RssFile", 7}, PB_ProcessStats_Process_rss_file_kb},
    {{"RssShmem", 8}, PB_ProcessStats_Process_rss_shmem_kb},
    {{"VmSwap", 6}, PB_ProcessStats_Process_vm_swap_kb},
};

/* "VmRSS:	    5312 kB"; threads of the kernel have no such lines. */
static bool put_lines(struct process_memory *m, struct str text)
{
    struct str line;
    bool any = false;
    while (str_next_line(&text, &line)) {
        struct str key = str_cut(&line, ':');
        uint64_t kb;
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            if (str_eq(key, lines[i].key) && str_to_u64(str_take_word(&line), 10, &kb)) {
                pb_put_uint(&m->entry, lines[i].field, kb);
                any = true;
            }
    }
    return any;
}

static void put_oom_score(struct process_memory *m, struct str text)
{
    bool negative = text.n > 0 && *text.p == '-';
    uint64_t v;
    if (str_to_u64(str_trim_lines(str_skip(text, negative)), 10, &v))
        pb_put_uint(&m->entry, PB_ProcessStats_Process_oom_score_adj, negative ? 0 - v : v);
}

static void put_process(struct process_memory *m, int32_t pid)
{
    m->entry.v.count = 0;
    pb_put_uint(&m->entry, PB_ProcessStats_Process_pid, (uint64_t)pid);
    if (!put_lines(m, proc_file_read(pid, "status", &m->text)))
        return;
    put_oom_score(m, proc_file_read(pid, "oom_score_adj", &m->text));
    uint32_t hash = (uint32_t)hash_bytes(m->entry.v.items, m->entry.v.count, 0);
    bool inserted;
    uint32_t *told = map_insert(&m->told, (uint64_t)pid, &inserted);
    if (inserted || *told != hash)
        pb_put_message(&m->stats, PB_ProcessStats_processes, &m->entry);
    *told = hash;
}

static void put_stats(struct recorder *r, struct process_memory *m)
{
    uint64_t now = record_now();
    if (m->stats.v.count == 0)
        return;
    pb_put_uint(&m->stats, PB_ProcessStats_collection_end_timestamp, now);
    record_put(r, &(struct record_packet){.sequence = SEQUENCE,
                                          .field = PB_TracePacket_process_stats,
                                          .ts = now,
                                          .message = &m->stats});
    m->stats.v.count = 0;
}

static void poll_memory(struct recorder *r, void *state)
{
    struct process_memory *m = state;
    uint64_t begin = record_now();
    if (begin < m->due)
        return;
    if (m->polls++ % WHOLE_POLLS == 0)
        map_release(&m->told);
    DIR *dir = opendir("/proc");
    if (!dir)
        return;
    for (int32_t pid; (pid = proc_next_pid(dir)) > 0;) {
        put_process(m, pid);
        if (m->stats.v.count > PACKET_BYTES)
            put_stats(r, m);
    }
    closedir(dir);
    put_stats(r, m);
    m->due = begin + (record_now() - begin) * TIME_SHARE;
}

static struct status begin(struct recorder *r, void **state)
{
    (void)r;
    *state = alloc_array(1, sizeof(struct process_memory));
    return status_ok_value();
}

static void end(struct recorder *r, void *state)
{
    struct process_memory *m = state;
    m->due = 0;
    poll_memory(r, m);
    map_release(&m->told);
    pb_bytes_release(&m->entry);
    pb_bytes_release(&m->stats);
    vec_release(&m->text.v);
    free(m);
}

/* A stretch of a ring has all that is known. */
static void again(struct recorder *r, void *state)
{
    struct process_memory *m = state;
    m->polls = 0;
    m->due = 0;
    poll_memory(r, m);
}

const struct record_source record_processes_memory = {
    .name = "processes",
    .about = "memory of each process, once a second",
    .usual = true,
    .needs = "nothing",
    .begin = begin,
    .poll = poll_memory,
    .end = end,
    .poll_ms = POLL_MS,
    .again = again,
};
