CREATE VIEW runs AS SELECT ts, dur, cpu, utid FROM sched WHERE dur > 0;
CREATE VIEW speeds AS
SELECT ts, lead(ts) OVER (PARTITION BY track_id ORDER BY ts) - ts AS dur, cpu, value AS khz
FROM counter JOIN cpu_counter_track t ON t.id = track_id WHERE t.type IN ('cpu_frequency', 'cpu_idle');
CREATE VIRTUAL TABLE run_speeds USING SPAN_LEFT_JOIN(runs PARTITIONED cpu, speeds PARTITIONED cpu);
SELECT cpu, khz, sum(dur) FROM run_speeds GROUP BY cpu, khz;
