-- Intervals at a coarser detail: for each stretch of time what took most of it.

INCLUDE PERFETTO MODULE intervals.intersect;

-- The first and last time of each partition, and how many buckets of that length cover it.
CREATE PERFETTO MACRO _mipmap_bucket_metadata(
  _source_table TableOrSubquery, _partition_column ColumnName, _bucket_duration_ns Expr
) RETURNS TableOrSubquery AS (
  SELECT $_partition_column, trace_min_ts, trace_max_ts, bucket_duration_ns,
    (trace_max_ts - trace_min_ts + bucket_duration_ns - 1) / bucket_duration_ns AS bucket_count
  FROM (
    SELECT $_partition_column, $_bucket_duration_ns AS bucket_duration_ns,
      min(ts) AS trace_min_ts, max(ts + dur) AS trace_max_ts
    FROM $_source_table
    GROUP BY $_partition_column
  )
);

-- The buckets, numbered from 0 in each partition, which has at least one.
CREATE PERFETTO MACRO _mipmap_buckets_table(
  _source_table TableOrSubquery, _partition_column ColumnName, _bucket_duration_ns Expr
) RETURNS TableOrSubquery AS (
  WITH RECURSIVE _bucket(
    $_partition_column, bucket_index, ts, dur, _last
  ) AS (
    SELECT $_partition_column, 0, trace_min_ts, bucket_duration_ns, bucket_count - 1
    FROM _mipmap_bucket_metadata!($_source_table, $_partition_column, $_bucket_duration_ns)
    UNION ALL
    SELECT $_partition_column, bucket_index + 1, ts + dur, dur, _last
    FROM _bucket
    WHERE bucket_index < _last
  )
  SELECT row_number() OVER (ORDER BY $_partition_column, bucket_index) AS id, $_partition_column,
    bucket_index, ts, dur
  FROM _bucket
);

-- What was most of each bucket: of the sources (id, ts, dur, group_hash) that meet it those of one
-- group_hash that cover most of it (else those that began first, else the least group_hash), where
-- neighbouring buckets of one group_hash become one row.
CREATE PERFETTO MACRO _mipmap_merged(
  _source_slices_with_ids TableOrSubquery, _buckets TableOrSubquery,
  _partition_column ColumnName, _bucket_duration_ns Expr
) RETURNS TableOrSubquery AS (
  WITH _met AS (
    SELECT bucket.$_partition_column, bucket.bucket_index, bucket.ts AS bucket_ts,
      source.group_hash, min(source.id) AS id, sum(met.dur) AS covered, min(source.ts) AS first_ts
    FROM _interval_intersect!(
      ($_buckets, $_source_slices_with_ids), ($_partition_column)) AS met
    JOIN $_buckets AS bucket ON bucket.id = met.id_0
    JOIN $_source_slices_with_ids AS source ON source.id = met.id_1
    GROUP BY bucket.$_partition_column, bucket.bucket_index, source.group_hash
  ),
  _most AS (
    SELECT *,
      row_number() OVER (
        PARTITION BY $_partition_column, bucket_index ORDER BY covered DESC, first_ts, group_hash
      ) AS place
    FROM _met
  ),
  _changed AS (
    SELECT *, group_hash <> coalesce(lag(group_hash) OVER by_time, '') AS is_other
    FROM _most
    WHERE place = 1
    WINDOW by_time AS (PARTITION BY $_partition_column ORDER BY bucket_index)
  ),
  _numbered AS (
    SELECT *, sum(is_other) OVER (PARTITION BY $_partition_column ORDER BY bucket_index) AS stretch
    FROM _changed
  )
  SELECT $_partition_column, min(id) AS id, min(bucket_ts) AS ts,
    (max(bucket_index) - min(bucket_index) + 1) * $_bucket_duration_ns AS dur, group_hash
  FROM _numbered
  GROUP BY $_partition_column, stretch, group_hash
  ORDER BY min(bucket_ts)
);
