#include "record/processes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/map.h"
#include "pb_fields.h"
#include "record/proc_file.h"

enum { KTHREADD = 2, PIDS_MOST = 1 << 22, TREE_PROCESSES = 256, NAMESPACES = 8 };

struct record_processes {
    uint8_t *seen, *told; /* a bit a pid: threads that were noted, processes that were told */
    VEC(int32_t) noted;
    struct map marks; /* pid -> index of `labels` */
    VEC(const char *) labels;
    uint32_t entries; /* in `tree` */
    struct pb_bytes tree, entry;
    struct byte_list text, arguments;
};

/* What /proc/TID/status says. */
struct task_status {
    struct str name;
    int32_t tgid, ppid, uid;
    int32_t inner[NAMESPACES]; /* pids in the namespaces within ours */
    size_t inner_count;
};

static bool has_bit(const uint8_t *bits, int32_t pid)
{
    return pid >= 0 && pid < PIDS_MOST && (bits[pid >> 3] >> (pid & 7) & 1);
}

static void set_bit(uint8_t *bits, int32_t pid, bool on)
{
    if (pid < 0 || pid >= PIDS_MOST)
        return;
    uint8_t bit = (uint8_t)(1 << (pid & 7));
    bits[pid >> 3] = (uint8_t)(on ? bits[pid >> 3] | bit : bits[pid >> 3] & ~bit);
}

struct record_processes *record_processes_new(void)
{
    struct record_processes *p = alloc_array(1, sizeof *p);
    p->seen = alloc_array(PIDS_MOST / 8, 1); /* pages that no pid touches are none */
    p->told = alloc_array(PIDS_MOST / 8, 1);
    return p;
}

void record_processes_free(struct record_processes *p)
{
    free(p->seen);
    free(p->told);
    vec_release(&p->noted);
    map_release(&p->marks);
    vec_release(&p->labels);
    pb_bytes_release(&p->tree);
    pb_bytes_release(&p->entry);
    vec_release(&p->text.v);
    vec_release(&p->arguments.v);
    free(p);
}

static int32_t first_number(struct str s)
{
    uint64_t v;
    return str_to_u64(str_take_word(&s), 10, &v) && v <= INT32_MAX ? (int32_t)v : 0;
}

static void read_inner(struct task_status *s, struct str pids)
{
    str_take_word(&pids); /* in our own */
    for (struct str word; s->inner_count < NAMESPACES && (word = str_take_word(&pids)).n > 0;)
        s->inner[s->inner_count++] = first_number(word);
}

static bool read_status(struct record_processes *p, int32_t tid, struct task_status *s)
{
    struct str text = proc_file_read(tid, "status", &p->text), line;
    *s = (struct task_status){.name = {"", 0}};
    while (str_next_line(&text, &line)) {
        struct str key = str_cut(&line, ':'), value = str_trim(line);
        if (str_eq(key, STR("Name")))
            s->name = value;
        else if (str_eq(key, STR("Tgid")))
            s->tgid = first_number(value);
        else if (str_eq(key, STR("PPid")))
            s->ppid = first_number(value);
        else if (str_eq(key, STR("Uid")))
            s->uid = first_number(value);
        else if (str_eq(key, STR("NSpid")))
            read_inner(s, value);
    }
    return s->tgid > 0;
}

static void put_tree(struct recorder *r)
{
    struct record_processes *p = r->processes;
    if (p->entries == 0)
        return;
    uint64_t now = record_now();
    pb_put_uint(&p->tree, PB_ProcessTree_collection_end_timestamp, now);
    record_put(r, &(struct record_packet){.sequence = PROCESS_SEQUENCE,
                                          .field = PB_TracePacket_process_tree,
                                          .ts = now,
                                          .message = &p->tree});
    p->tree.v.count = 0;
    p->entries = 0;
}

static void end_entry(struct recorder *r, uint32_t field)
{
    struct record_processes *p = r->processes;
    pb_put_message(&p->tree, field, &p->entry);
    if (++p->entries == TREE_PROCESSES)
        put_tree(r);
}

/* The arguments are behind each other, each ended by NUL. */
static bool put_arguments(struct record_processes *p, int32_t pid)
{
    struct str rest = proc_file_read(pid, "cmdline", &p->arguments);
    bool any = rest.n > 0;
    while (rest.n > 0)
        pb_put_str(&p->entry, PB_ProcessTree_Process_cmdline, str_cut(&rest, '\0'));
    return any;
}

static void put_label(struct recorder *r, int32_t pid, const char *label, uint64_t ts)
{
    struct pb_bytes process = {0}, track = {0};
    pb_put_uint(&process, PB_ProcessDescriptor_pid, (uint64_t)pid);
    pb_put_str(&process, PB_ProcessDescriptor_process_labels, str_from(label));
    pb_put_uint(&track, PB_TrackDescriptor_uuid, UINT64_C(0x7470747569) << 24 | (uint32_t)pid);
    pb_put_message(&track, PB_TrackDescriptor_process, &process);
    record_put(r, &(struct record_packet){.sequence = PROCESS_SEQUENCE,
                                          .field = PB_TracePacket_track_descriptor,
                                          .ts = ts,
                                          .message = &track});
    pb_bytes_release(&process);
    pb_bytes_release(&track);
}

static void put_process(struct recorder *r, int32_t pid, const struct task_status *s)
{
    struct record_processes *p = r->processes;
    bool kernel = pid == KTHREADD || s->ppid == KTHREADD;
    p->entry.v.count = 0;
    pb_put_uint(&p->entry, PB_ProcessTree_Process_pid, (uint64_t)pid);
    pb_put_uint(&p->entry, PB_ProcessTree_Process_ppid, (uint64_t)s->ppid);
    if (kernel || !put_arguments(p, pid)) {
        pb_put_str(&p->entry, PB_ProcessTree_Process_cmdline, s->name);
        pb_put_uint(&p->entry, PB_ProcessTree_Process_cmdline_is_comm, 1);
    }
    pb_put_uint(&p->entry, PB_ProcessTree_Process_uid, (uint64_t)s->uid);
    if (kernel)
        pb_put_uint(&p->entry, PB_ProcessTree_Process_is_kthread, 1);
    for (size_t i = 0; i < s->inner_count; i++)
        pb_put_uint(&p->entry, PB_ProcessTree_Process_nspid, (uint64_t)s->inner[i]);
    end_entry(r, PB_ProcessTree_processes);
    set_bit(p->told, pid, true);
    set_bit(p->seen, pid, true);
    const uint32_t *mark = map_find(&p->marks, (uint64_t)pid);
    if (!mark && (mark = map_find(&p->marks, (uint64_t)s->ppid)))
        map_set(&p->marks, (uint64_t)pid, *mark);
}

static void put_thread(struct recorder *r, int32_t tid, int32_t tgid, const struct task_status *s)
{
    struct record_processes *p = r->processes;
    p->entry.v.count = 0;
    pb_put_uint(&p->entry, PB_ProcessTree_Thread_tid, (uint64_t)tid);
    pb_put_str(&p->entry, PB_ProcessTree_Thread_name, s->name);
    pb_put_uint(&p->entry, PB_ProcessTree_Thread_tgid, (uint64_t)tgid);
    for (size_t i = 0; i < s->inner_count; i++)
        pb_put_uint(&p->entry, PB_ProcessTree_Thread_nstid, (uint64_t)s->inner[i]);
    end_entry(r, PB_ProcessTree_threads);
    set_bit(p->seen, tid, true);
}

/* The thread, and its process where it was not told yet. */
static void tell_task(struct recorder *r, int32_t tid)
{
    struct record_processes *p = r->processes;
    struct task_status s, process;
    if (!read_status(p, tid, &s))
        return;
    if (s.tgid == tid) {
        put_process(r, tid, &s);
        return;
    }
    put_thread(r, tid, s.tgid, &s);
    if (!has_bit(p->told, s.tgid) && read_status(p, s.tgid, &process))
        put_process(r, s.tgid, &process);
}

static void scan_threads(struct recorder *r, int32_t pid)
{
    char path[40];
    struct task_status s;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *dir = opendir(path);
    if (!dir)
        return;
    for (int32_t tid; (tid = proc_next_pid(dir)) > 0;)
        if (tid != pid && read_status(r->processes, tid, &s))
            put_thread(r, tid, pid, &s);
    closedir(dir);
}

static bool is_there(int32_t pid)
{
    return kill(pid, 0) == 0 || errno == EPERM;
}

void record_processes_scan(struct recorder *r)
{
    struct task_status s;
    DIR *dir = opendir("/proc");
    if (!dir)
        return;
    for (int32_t pid; (pid = proc_next_pid(dir)) > 0;) {
        if (!read_status(r->processes, pid, &s))
            continue;
        put_process(r, pid, &s);
        scan_threads(r, pid);
    }
    closedir(dir);
    put_tree(r);
    for (size_t i = 0; i < r->processes->marks.cap; i++) {
        const struct map_slot *m = &r->processes->marks.slots[i];
        if (m->used && has_bit(r->processes->told, (int32_t)m->key) && is_there((int32_t)m->key))
            put_label(r, (int32_t)m->key, r->processes->labels.items[m->value], record_now());
    }
}

void record_processes_note(struct record_processes *p, int32_t tid)
{
    if (tid <= 0 || tid >= PIDS_MOST || has_bit(p->seen, tid))
        return;
    set_bit(p->seen, tid, true);
    *vec_push(&p->noted) = tid;
}

void record_processes_changed(struct record_processes *p, int32_t tid)
{
    set_bit(p->seen, tid, false);
    set_bit(p->told, tid, false);
    record_processes_note(p, tid);
}

void record_processes_made(struct recorder *r, int32_t parent, int32_t tid, bool is_thread,
                           uint64_t ts)
{
    struct record_processes *p = r->processes;
    record_processes_changed(p, tid);
    const uint32_t *mark = map_find(&p->marks, (uint64_t)parent);
    if (!mark) { /* a pid that comes again */
        map_remove(&p->marks, (uint64_t)tid);
        return;
    }
    uint32_t label = *mark;
    map_set(&p->marks, (uint64_t)tid, label);
    if (!is_thread)
        put_label(r, tid, p->labels.items[label], ts + 1);
}

void record_processes_flush(struct recorder *r)
{
    struct record_processes *p = r->processes;
    for (size_t i = 0; i < p->noted.count; i++)
        tell_task(r, p->noted.items[i]);
    p->noted.count = 0;
    put_tree(r);
}

void record_processes_mark(struct recorder *r, int32_t pid, const char *label)
{
    struct record_processes *p = r->processes;
    map_set(&p->marks, (uint64_t)pid, (uint32_t)p->labels.count);
    *vec_push(&p->labels) = label;
    put_label(r, pid, label, record_now());
}
