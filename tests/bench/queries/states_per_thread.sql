SELECT utid, state, sum(dur), count(*) FROM thread_state GROUP BY utid, state;
