SELECT count(*), sum(dur) FROM sched
WHERE ts >= trace_start() + trace_dur() / 2 AND ts < trace_start() + trace_dur() / 2 + 20000000;
