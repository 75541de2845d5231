CREATE PERFETTO TABLE busy AS SELECT id, ts, dur, track_id, name FROM slice WHERE dur > 20000;
CREATE PERFETTO INDEX busy_track ON busy(track_id);
SELECT count(*), sum(b.dur) FROM thread_track t JOIN busy b ON b.track_id = t.id;
