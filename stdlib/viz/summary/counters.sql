-- The counters that have values.

CREATE PERFETTO TABLE _counter_track_summary AS
SELECT DISTINCT track_id AS id FROM counter;
