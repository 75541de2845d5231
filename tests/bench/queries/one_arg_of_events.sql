SELECT extract_arg(arg_set_id, 'next_prio') AS prio, count(*) FROM ftrace_event
WHERE name = 'sched_switch' GROUP BY prio ORDER BY 2 DESC;
