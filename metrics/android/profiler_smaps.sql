-- Memory maps of processes whose Java heaps were dumped, by file.
SELECT run_metric('android/process_metadata.sql');

CREATE OR REPLACE PERFETTO VIEW _maps_of_process AS
SELECT
  upid,
  RepeatedField(ProfilerSmaps_Mapping(
    'path', path,
    'size_kb', size_kb,
    'private_dirty_kb', private_dirty_kb,
    'swap_kb', swap_kb)) AS mappings
FROM (
  SELECT
    upid, path, sum(size_kb) AS size_kb, sum(private_dirty_kb) AS private_dirty_kb,
    sum(swap_kb) AS swap_kb
  FROM profiler_smaps
  GROUP BY upid, path
  ORDER BY upid, private_dirty_kb + swap_kb DESC, path
)
GROUP BY upid;

CREATE OR REPLACE PERFETTO VIEW profiler_smaps_output AS
SELECT ProfilerSmaps(
  'instance', (
    SELECT RepeatedField(ProfilerSmaps_Instance(
      'process', process_metadata_proto(upid), 'mappings', mappings))
    FROM _maps_of_process
  )
) AS message;
