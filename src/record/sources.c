#include "record/source.h"

#define TRACEFS_RIGHT "root, or write access to tracefs"

static const struct record_source sched = {
    .name = "sched",
    .about = "what runs on each CPU, who wakes whom, new tasks and programs",
    .usual = true,
    .needs = TRACEFS_RIGHT,
    .events = "sched:sched_switch sched:sched_waking sched:sched_wakeup_new "
              "sched:sched_process_exit sched:sched_process_free sched:sched_process_exec "
              "task:task_newtask task:task_rename",
};

static const struct record_source syscalls = {
    .name = "syscalls",
    .about = "every system call, with its arguments and what it returned",
    .needs = TRACEFS_RIGHT,
    .events = "raw_syscalls:sys_enter raw_syscalls:sys_exit",
};

static const struct record_source irq = {
    .name = "irq",
    .about = "interrupts, and the work they put off",
    .needs = TRACEFS_RIGHT,
    .events = "irq:irq_handler_entry irq:irq_handler_exit irq:softirq_entry irq:softirq_exit "
              "irq:softirq_raise irq_vectors:*",
};

static const struct record_source futex = {
    .name = "futex",
    .about = "waiting for locks, of programs and of the kernel",
    .needs = TRACEFS_RIGHT,
    .events = "syscalls:sys_enter_futex syscalls:sys_exit_futex lock:contention_begin "
              "lock:contention_end",
};

extern const struct record_source record_block, record_net, record_mem, record_freq, record_load,
    record_stacks, record_logs, record_processes_memory;

const struct record_source *const record_sources[] = {
    &sched,         &syscalls,    &irq,
    &record_block,  &record_net,  &record_mem,
    &record_freq,   &record_load, &record_processes_memory,
    &record_stacks, &futex,       &record_logs,
    NULL,
};
