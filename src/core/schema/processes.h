/* Processes, threads, and what ran where. How to read it: core/schema/schema.h. */
#ifndef TPTUI_CORE_SCHEMA_PROCESSES_H
#define TPTUI_CORE_SCHEMA_PROCESSES_H

/* clang-format off */
#define COLUMNS_process(C, T) \
    C(T, upid, ALIAS, 0, "Number of the process in this trace, never used twice: id.") \
    C(T, pid, I64, 0, "Pid in the system; may be used again.") \
    C(T, name, STR, COLUMN_NULLABLE, "Name; of an app its package or what follows it.") \
    C(T, start_ts, TIMESTAMP, COLUMN_NULLABLE, "Start, ns; NULL: before the trace, or not known.") \
    C(T, end_ts, TIMESTAMP, COLUMN_NULLABLE, "End, ns; NULL: after the trace, or not known.") \
    C(T, parent_upid, JOINID(process.id), COLUMN_NULLABLE | COLUMN_MAY_LOOP, "Process that started it.") \
    C(T, uid, U32, COLUMN_NULLABLE, "User that it runs as.") \
    C(T, android_appid, U32, COLUMN_NULLABLE, \
      "Android: number of the app, the same for every user.") \
    C(T, android_user_id, U32, COLUMN_NULLABLE | COLUMN_FOREIGN, "Android: user of the device.") \
    C(T, cmdline, STR, COLUMN_NULLABLE, "Command line.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.") \
    C(T, machine_id, JOINID(machine.id), 0, "Machine that it was recorded on.")

#define COLUMNS_thread(C, T) \
    C(T, utid, ALIAS, 0, "Number of the thread in this trace, never used twice: id.") \
    C(T, tid, I64, 0, "Tid in the system; may be used again.") \
    C(T, name, STR, COLUMN_NULLABLE, "Name.") \
    C(T, start_ts, TIMESTAMP, COLUMN_NULLABLE, "Start, ns; NULL: before the trace, or not known.") \
    C(T, end_ts, TIMESTAMP, COLUMN_NULLABLE, "End, ns; NULL: after the trace, or not known.") \
    C(T, upid, JOINID(process.id), COLUMN_NULLABLE, \
      "Process that it belongs to; NULL: not known.") \
    C(T, is_main_thread, BOOL(U32), COLUMN_NULLABLE, \
      "1 for the thread whose tid is the pid; NULL: not known.") \
    C(T, is_idle, BOOL(U32), 0, "1 for the idle thread of a CPU.") \
    C(T, machine_id, JOINID(machine.id), 0, "Machine that it was recorded on.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.")

#define COLUMNS_sched_slice(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED | COLUMN_IN_BOUNDS, "When it came onto the CPU, ns of trace time.") \
    C(T, dur, DURATION, 0, "Time on the CPU, ns; -1: until the end of the trace.") \
    C(T, utid, JOINID(thread.id), 0, "Thread that ran.") \
    C(T, end_state, STR, 0, \
      "State that it left the CPU in: S sleeps, R preempted, D waits uninterruptibly.") \
    C(T, priority, I32, 0, "Priority in the kernel: below 100 real time, 120 is nice 0.") \
    C(T, ucpu, SMALL_JOINID(cpu.id), 0, "CPU that it happened on.")

#define COLUMNS_thread_state(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED | COLUMN_IN_BOUNDS | COLUMN_NO_EVENT, "Start, ns of trace time.") \
    C(T, dur, DURATION, 0, "Duration, ns; -1 if it has not ended.") \
    C(T, utid, JOINID(thread.id), 0, "Thread.") \
    C(T, state, STR, 0, "Running, R (can run), S (sleeps), D (sleeps uninterruptibly), ...") \
    C(T, io_wait, SMALL, COLUMN_NULLABLE, "1 where it waits for I/O; NULL: not known.") \
    C(T, blocked_function, STR, COLUMN_NULLABLE, "Function of the kernel that it waits in.") \
    C(T, waker_utid, JOINID(thread.id), COLUMN_NULLABLE, "Thread that woke it.") \
    C(T, waker_id, JOINID(thread_state.id), COLUMN_NULLABLE, "Row of what the waker did then.") \
    C(T, irq_context, SMALL, COLUMN_NULLABLE, \
      "1 where an interrupt woke it, while waker_utid happened to run.") \
    C(T, ucpu, SMALL_JOINID(cpu.id), COLUMN_NULLABLE, "CPU that it runs on; NULL: none.")

#define COLUMNS_spurious_sched_wakeup(C, T) \
    C(T, ts, TIMESTAMP, COLUMN_SORTED | COLUMN_NO_EVENT | COLUMN_IN_WINDOW, "When it happened, ns of trace time.") \
    C(T, thread_state_id, ROWID(thread_state.id), 0, "Row of thread_state that the thread was in: thread_state.id.") \
    C(T, irq_context, U32, COLUMN_NULLABLE, "1 where an interrupt did it.") \
    C(T, utid, ROWID(thread.id), 0, "Thread that was woken: thread.id.") \
    C(T, waker_utid, ROWID(thread.id), 0, "Thread that woke it: thread.id.")

#define COLUMNS_cpu(C, T) \
    C(T, cpu, U32, COLUMN_NULLABLE, "Number of the CPU in its machine.") \
    C(T, cluster_id, U32, COLUMN_FOREIGN, "Cluster of like CPUs that it is in.") \
    C(T, processor, STR, 0, "Model, as /proc/cpuinfo says.") \
    C(T, machine_id, JOINID(machine.id), 0, "Machine that it belongs to.") \
    C(T, capacity, U32, COLUMN_NULLABLE, \
      "Computing power in the kernel's units: 1024 is the strongest.") \
    C(T, arg_set_id, ARGSETID, COLUMN_NULLABLE, "Arguments, joins args.")

#define COLUMNS_cpu_freq(C, T) \
    C(T, ucpu, JOINID(cpu.id), 0, "CPU, joins cpu.") \
    C(T, freq, U32, 0, "Frequency, kHz.")

#define COLUMNS_filedescriptor(C, T) \
    C(T, ufd, I64, COLUMN_FOREIGN, "Number of the open file in this trace.") \
    C(T, fd, I64, 0, "Number of the file in its process.") \
    C(T, ts, TIMESTAMP, COLUMN_NULLABLE, "Time of the reading, ns of trace time.") \
    C(T, upid, ROWID(process.id), COLUMN_NULLABLE, "Process: process.id.") \
    C(T, path, STR, COLUMN_NULLABLE, "Path, or a name like socket:[123].")

#define COLUMNS_experimental_missing_chrome_processes(C, T) \
    C(T, upid, ROWID(process.id), 0, "Process: process.id.") \
    C(T, reliable_from, I64, COLUMN_NULLABLE, "From when its data are complete, ns; NULL: never.")

#define COLUMNS__linux_interrupt_mapping(C, T) \
    C(T, irq_id, U32, COLUMN_FOREIGN, "Number of the interrupt.") \
    C(T, name, STR, 0, "Names of what handles it.") \
    C(T, machine_id, JOINID(machine.id), 0, "Machine that it was recorded on.")

#define PROCESSES_TABLES(T) \
    T(process, "__intrinsic_process", "Processes, one row for each use of a pid.", "") \
    T(thread, "__intrinsic_thread", "Threads, one row for each use of a tid.", "") \
    T(sched_slice, "__intrinsic_sched_slice", \
      "What ran on each CPU.", "linux.ftrace (sched/sched_switch)") \
    T(thread_state, "__intrinsic_thread_state", \
      "What each thread did at any time: ran, could run, slept.", \
      "linux.ftrace (sched/sched_switch, sched/sched_waking)") \
    T(spurious_sched_wakeup, "__intrinsic_spurious_sched_wakeup", \
      "Wakeups of threads that were awake.", \
      "linux.ftrace (sched/sched_waking, sched/sched_switch)") \
    T(cpu, "__intrinsic_cpu", "Processors of all machines.", "linux.system_info or linux.ftrace") \
    T(cpu_freq, "__intrinsic_cpu_freq", \
      "Frequencies that each CPU can have.", "linux.system_info") \
    T(filedescriptor, "__intrinsic_filedescriptor", \
      "Files that processes had open.", "linux.process_stats (resolve_process_fds)") \
    T(experimental_missing_chrome_processes, "__intrinsic_experimental_missing_chrome_processes", \
      "Processes of Chrome whose first data were lost.", "") \
    T(_linux_interrupt_mapping, "_linux_interrupt_mapping", \
      "Names of interrupts.", "linux.system_info")

#define PROCESSES_VIEWS(V) \
    V(process, process, "*") \
    V(thread, thread, "*") \
    V(sched_slice, sched_slice, "id, ts, dur, ucpu AS cpu, utid, end_state, priority, ucpu") \
    V(sched, sched_slice, NULL) \
    V(thread_state, thread_state, \
      "id, ts, dur, ucpu AS cpu, utid, state, io_wait, blocked_function, waker_utid, " \
      "waker_id, irq_context, ucpu") \
    V(spurious_sched_wakeup, spurious_sched_wakeup, "*") \
    V(cpu, cpu, NULL) \
    V(cpu_available_frequencies, cpu_freq, "id, ucpu AS cpu, freq, ucpu") \
    V(filedescriptor, filedescriptor, "*") \
    V(experimental_missing_chrome_processes, experimental_missing_chrome_processes, "*")
/* clang-format on */

#endif
