-- What codecs cost: CPU time of their threads and functions, energy of the whole device.
INCLUDE PERFETTO MODULE android.power_rails;
INCLUDE PERFETTO MODULE linux.cpu.utilization.thread_cpu;
INCLUDE PERFETTO MODULE linux.cpu.utilization.slice;
INCLUDE PERFETTO MODULE slices.with_context;
INCLUDE PERFETTO MODULE slices.self_dur;
INCLUDE PERFETTO MODULE slices.cpu_time;
SELECT run_metric('android/core_types.sql');

CREATE OR REPLACE PERFETTO TABLE _codec_thread AS
SELECT t.utid, p.upid, t.name AS thread_name, p.name AS process_name
FROM thread AS t
JOIN process AS p USING (upid)
WHERE p.name GLOB '*codec*' OR p.name GLOB '*media.swcodec*'
  OR t.name IN ('MediaCodec_loop', 'CodecLooper', 'NDK MediaCodec_', 'async_codec_worker')
  OR t.name GLOB 'C2Node*' OR t.name GLOB '*.coder';

CREATE OR REPLACE PERFETTO TABLE _codec_thread_time AS
SELECT t.process_name, t.thread_name, sum(s.dur) AS cpu_ns, count(DISTINCT t.utid) AS threads
FROM _codec_thread AS t
JOIN sched AS s USING (utid)
WHERE s.dur > 0
GROUP BY t.process_name, t.thread_name;

-- By type of core.
CREATE OR REPLACE PERFETTO TABLE _codec_core AS
SELECT
  t.process_name,
  t.thread_name,
  ifnull(m.type, 'unknown') AS type,
  sum(c.megacycles) AS mcycles,
  sum(c.runtime) AS runtime_ns,
  min(c.min_freq) AS min_freq_khz,
  max(c.max_freq) AS max_freq_khz,
  CAST(sum(c.millicycles) / (sum(c.runtime) / 1000) AS INT) AS avg_freq_khz
FROM _codec_thread AS t
JOIN cpu_cycles_per_thread_per_cpu AS c USING (utid)
LEFT JOIN _core_type AS m USING (ucpu)
GROUP BY t.process_name, t.thread_name, type;

CREATE OR REPLACE PERFETTO VIEW _codec_cores AS
SELECT
  process_name,
  thread_name,
  RepeatedField(AndroidCpuMetric_CoreTypeData(
    'type', type,
    'metrics', AndroidCpuMetric_Metrics(
      'mcycles', mcycles,
      'runtime_ns', runtime_ns,
      'min_freq_khz', min_freq_khz,
      'max_freq_khz', max_freq_khz,
      'avg_freq_khz', avg_freq_khz))) AS cores
FROM _codec_core
WHERE runtime_ns > 0
GROUP BY process_name, thread_name;

-- Functions of codecs are slices NAME(...), such as CCodec::onWorkDone.
CREATE OR REPLACE PERFETTO TABLE _codec_slice AS
SELECT
  substr(s.name, 1, iif(instr(s.name, '(') > 0, instr(s.name, '(') - 1, length(s.name))) AS function,
  s.process_name,
  s.thread_name,
  s.dur,
  d.self_dur,
  t.cpu_time,
  c.millicycles / 1000 AS cycles
FROM thread_slice AS s
JOIN slice_self_dur AS d USING (id)
LEFT JOIN thread_slice_cpu_time AS t USING (id)
LEFT JOIN cpu_cycles_per_thread_slice AS c USING (id)
WHERE s.dur >= 0
  AND (
    s.name GLOB 'CCodec*' OR s.name GLOB 'C2*' OR s.name GLOB 'ACodec*' OR s.name GLOB 'MediaCodec*'
    OR s.name GLOB '*Codec2*' OR s.name GLOB 'queueInputBuffer*' OR s.name GLOB 'SimpleC2*'
  );

CREATE OR REPLACE PERFETTO VIEW _codec_function AS
SELECT
  function,
  process_name,
  thread_name,
  AndroidCodecMetrics_Detail(
    'total_cpu_ns', CAST(sum(dur) AS INT),
    'running_cpu_ns', CAST(sum(cpu_time) AS INT),
    'avg_running_cpu_ns', CAST(avg(cpu_time) AS INT),
    'total_cpu_cycles', CAST(sum(cycles) AS INT),
    'avg_cpu_cycles', CAST(avg(cycles) AS INT),
    'avg_time_ns', CAST(avg(dur) AS INT),
    'count', count(*),
    'self', AndroidCodecMetrics_Detail_Latency(
      'max_us', CAST(max(self_dur) / 1000 AS INT),
      'min_us', CAST(min(self_dur) / 1000 AS INT),
      'avg_us', CAST(avg(self_dur) / 1000 AS INT),
      'agg_us', CAST(sum(self_dur) / 1000 AS INT),
      'count', count(*))) AS detail
FROM _codec_slice
GROUP BY function, process_name, thread_name;

CREATE OR REPLACE PERFETTO TABLE _codec_rail AS
SELECT
  power_rail_name AS name,
  min(ts) AS first_ts,
  max(ts) AS last_ts,
  sum(energy_delta) AS energy,
  sum(energy_delta) / ((max(ts) - min(ts)) / 1e6) AS power_mw
FROM android_power_rails_counters
GROUP BY name;

CREATE OR REPLACE PERFETTO VIEW codec_metrics_output AS
SELECT AndroidCodecMetrics(
  'cpu_usage', (
    SELECT RepeatedField(AndroidCodecMetrics_CpuUsage(
      'process_name', process_name,
      'thread', AndroidCodecMetrics_CpuUsage_ThreadInfo(
        'name', thread_name,
        'info', AndroidCodecMetrics_CpuUsage_ThreadInfo_Details(
          'thread_cpu_ns', cpu_ns, 'num_threads', threads, 'core_data', cores))))
    FROM (
      SELECT * FROM _codec_thread_time LEFT JOIN _codec_cores USING (process_name, thread_name)
      ORDER BY cpu_ns DESC
    )
  ),
  'codec_function', (
    SELECT RepeatedField(AndroidCodecMetrics_CodecFunction(
      'codec_string', function,
      'process', AndroidCodecMetrics_CodecFunction_Process(
        'name', process_name,
        'thread', AndroidCodecMetrics_CodecFunction_Process_Thread(
          'name', thread_name, 'detail', detail))))
    FROM _codec_function
  ),
  'energy', (
    SELECT AndroidCodecMetrics_Energy(
      'total_energy', sum(energy),
      'duration', CAST((max(last_ts) - min(first_ts)) / 1000000 AS INT),
      'power_mw', sum(energy) / ((max(last_ts) - min(first_ts)) / 1e6),
      'rail', RepeatedField(AndroidCodecMetrics_Rail(
        'name', name,
        'info', AndroidCodecMetrics_Rail_Info(
          'energy', ifnull(energy, 0.0), 'power_mw', ifnull(power_mw, 0.0)))))
    FROM (SELECT * FROM _codec_rail ORDER BY name)
  )
) AS message;
