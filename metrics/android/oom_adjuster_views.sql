-- How often and how long processes were in each bucket of the OOM adjuster, from {{since}} on: views
-- whose one column is the repeated field of a message {{message}}.
INCLUDE PERFETTO MODULE android.oom_adjuster;

CREATE OR REPLACE PERFETTO TABLE _oom_state AS
SELECT *, lag(bucket) OVER (PARTITION BY upid ORDER BY ts) AS last_bucket
FROM (
  SELECT
    i.ts, i.dur, i.upid, i.process_name, i.oom_adj_reason, i.oom_adj_id, i.oom_adj_dur,
    android_oom_adj_score_to_detailed_bucket_name(i.score, p.android_appid) AS bucket
  FROM android_oom_adj_intervals AS i
  JOIN process AS p USING (upid)
  WHERE i.ts > {{since}}
);

CREATE OR REPLACE PERFETTO VIEW _oom_transitions AS
SELECT RepeatedField({{message}}_OomAdjusterTransitionCounts(
  'src_bucket', last_bucket, 'dest_bucket', bucket, 'count', number)) AS list
FROM (
  SELECT last_bucket, bucket, count(*) AS number
  FROM _oom_state
  GROUP BY bucket, last_bucket
  ORDER BY bucket, last_bucket
);

CREATE OR REPLACE PERFETTO VIEW _oom_transitions_of_process AS
SELECT RepeatedField({{message}}_OomAdjusterTransitionCounts(
  'name', process_name, 'src_bucket', last_bucket, 'dest_bucket', bucket, 'count', number)) AS list
FROM (
  SELECT process_name, last_bucket, bucket, count(*) AS number
  FROM _oom_state
  GROUP BY process_name, bucket, last_bucket
  ORDER BY process_name, bucket, last_bucket
);

CREATE OR REPLACE PERFETTO VIEW _oom_transitions_of_reason AS
SELECT RepeatedField({{message}}_OomAdjusterTransitionCounts(
  'name', oom_adj_reason, 'src_bucket', last_bucket, 'dest_bucket', bucket, 'count', number)) AS list
FROM (
  SELECT oom_adj_reason, last_bucket, bucket, count(*) AS number
  FROM _oom_state
  GROUP BY bucket, last_bucket, oom_adj_reason
  ORDER BY bucket, last_bucket, oom_adj_reason
);

CREATE OR REPLACE PERFETTO VIEW _oom_time AS
SELECT RepeatedField({{message}}_OomAdjBucketDurationAggregation(
  'bucket', bucket, 'total_dur', total)) AS list
FROM (SELECT bucket, sum(dur) AS total FROM _oom_state GROUP BY bucket ORDER BY bucket);

CREATE OR REPLACE PERFETTO VIEW _oom_time_of_process AS
SELECT RepeatedField({{message}}_OomAdjBucketDurationAggregation(
  'name', process_name, 'bucket', bucket, 'total_dur', total)) AS list
FROM (
  SELECT process_name, bucket, sum(dur) AS total
  FROM _oom_state
  WHERE process_name IS NOT NULL
  GROUP BY process_name, bucket
  ORDER BY process_name, bucket
);

CREATE OR REPLACE PERFETTO VIEW _oom_adjustments_of_reason AS
SELECT RepeatedField({{message}}_OomAdjDurationAggregation(
  'min_oom_adj_dur', shortest,
  'max_oom_adj_dur', longest,
  'avg_oom_adj_dur', mean,
  'oom_adj_event_count', number,
  'oom_adj_reason', oom_adj_reason)) AS list
FROM (
  SELECT
    oom_adj_reason,
    min(oom_adj_dur) AS shortest,
    max(oom_adj_dur) AS longest,
    avg(oom_adj_dur) AS mean,
    count(DISTINCT oom_adj_id) AS number
  FROM _oom_state
  GROUP BY oom_adj_reason
  ORDER BY oom_adj_reason
);
