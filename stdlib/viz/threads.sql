-- Threads as a timeline shows them: the kernel's apart.

INCLUDE PERFETTO MODULE linux.threads;
INCLUDE PERFETTO MODULE viz.summary.trace;

CREATE PERFETTO TABLE _kernel_threads AS
SELECT utid FROM linux_kernel_threads WHERE _is_linux_machine(machine_id);

CREATE PERFETTO TABLE _threads_with_kernel_flag AS
SELECT id, utid, upid, tid, name, is_main_thread, is_idle, machine_id,
  utid IN (SELECT utid FROM _kernel_threads) AS is_kernel_thread
FROM thread;
