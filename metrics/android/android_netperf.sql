-- Packets, their rates, and what the kernel spends on them.
INCLUDE PERFETTO MODULE linux.cpu.frequency;

CREATE OR REPLACE PERFETTO TABLE _packet AS
SELECT
  iif(f.name = 'netif_receive_skb', 'rx', 'tx') AS way,
  extract_arg(f.arg_set_id, 'name') AS device,
  c.cpu,
  f.ts,
  extract_arg(f.arg_set_id, 'len') AS len
FROM ftrace_event AS f
JOIN cpu AS c ON c.id = f.ucpu
WHERE f.name IN ('netif_receive_skb', 'net_dev_xmit');

-- A single packet counts as one in ten milliseconds.
CREATE OR REPLACE PERFETTO FUNCTION _packet_statistic(
  packets LONG, bytes LONG, first_ts LONG, last_ts LONG
)
RETURNS BYTES AS
SELECT AndroidNetworkMetric_PacketStatistic(
  'packets', $packets,
  'bytes', $bytes,
  'first_packet_timestamp_ns', $first_ts,
  'last_packet_timestamp_ns', $last_ts,
  'interval_ns', span,
  'data_rate_kbps', $bytes * 8 / 1024.0 / (span / 1e9))
FROM (SELECT iif($last_ts > $first_ts, $last_ts - $first_ts, 10000000) AS span);

CREATE OR REPLACE PERFETTO VIEW _packets_total AS
SELECT
  way, device, count(*) AS packets,
  _packet_statistic(count(*), sum(len), min(ts), max(ts)) AS statistic
FROM _packet
GROUP BY way, device;

CREATE OR REPLACE PERFETTO VIEW _packets_of_core AS
SELECT
  way, device,
  RepeatedField(AndroidNetworkMetric_CorePacketStatistic(
    'id', cpu, 'packet_statistic', statistic)) AS cores
FROM (
  SELECT way, device, cpu, _packet_statistic(count(*), sum(len), min(ts), max(ts)) AS statistic
  FROM _packet
  GROUP BY way, device, cpu
  ORDER BY way, device, cpu
)
GROUP BY way, device;

-- How many segments were handed to the stack for each packet that went on.
CREATE OR REPLACE PERFETTO VIEW _gro AS
SELECT s.name AS device, count(*) AS segments
FROM slice AS s
JOIN track AS t ON t.id = s.track_id
WHERE t.type = 'cpu_napi_gro'
GROUP BY s.name;

CREATE OR REPLACE PERFETTO VIEW _device_rx AS
SELECT
  p.device,
  AndroidNetworkMetric_Rx(
    'total', p.statistic,
    'core', c.cores,
    'gro_aggregation_ratio',
    iif(g.segments > 0, '1:' || format('%.2f', CAST(g.segments AS DOUBLE) / p.packets), NULL)) AS message
FROM _packets_total AS p
JOIN _packets_of_core AS c USING (way, device)
LEFT JOIN _gro AS g ON g.device = p.device
WHERE p.way = 'rx';

CREATE OR REPLACE PERFETTO VIEW _device_tx AS
SELECT
  p.device,
  AndroidNetworkMetric_Tx('total', p.statistic, 'core', c.cores) AS message
FROM _packets_total AS p
JOIN _packets_of_core AS c USING (way, device)
WHERE p.way = 'tx';

-- Time in the network's soft interrupts, cut where the frequency of the CPU changes.
CREATE OR REPLACE PERFETTO TABLE _net_action AS
SELECT s.id, s.name, t.cpu, s.ts, s.dur
FROM slice AS s
JOIN cpu_track AS t ON t.id = s.track_id
WHERE t.type = 'cpu_softirq' AND s.name IN ('NET_RX', 'NET_TX') AND s.dur >= 0;

CREATE OR REPLACE PERFETTO TABLE _net_action_work AS
SELECT
  a.name,
  a.cpu,
  a.id,
  sum(min(a.ts + a.dur, f.ts + f.dur) - max(a.ts, f.ts)) AS known_dur,
  sum((min(a.ts + a.dur, f.ts + f.dur) - max(a.ts, f.ts)) * f.freq) AS work
FROM _net_action AS a
JOIN cpu_frequency_counters AS f
  ON f.cpu = a.cpu AND f.ts < a.ts + a.dur AND f.ts + f.dur > a.ts
GROUP BY a.id;

CREATE OR REPLACE PERFETTO VIEW _net_action_of_core AS
SELECT
  a.name,
  a.cpu,
  count(*) AS number,
  sum(a.dur) AS dur,
  sum(w.work) AS work,
  sum(w.known_dur) AS known_dur
FROM _net_action AS a
LEFT JOIN _net_action_work AS w USING (id)
GROUP BY a.name, a.cpu;

CREATE OR REPLACE PERFETTO VIEW android_netperf_output AS
SELECT AndroidNetworkMetric(
  'net_devices', (
    SELECT RepeatedField(AndroidNetworkMetric_NetDevice(
      'name', device, 'rx', r.message, 'tx', t.message))
    FROM (SELECT DISTINCT device FROM _packet ORDER BY device)
    LEFT JOIN _device_rx AS r USING (device)
    LEFT JOIN _device_tx AS t USING (device)
  ),
  'net_rx_action', (
    SELECT AndroidNetworkMetric_NetRxAction(
      'total', (
        SELECT AndroidNetworkMetric_NetRxActionStatistic(
          'count', ifnull(sum(number), 0),
          'runtime_ms', sum(dur) / 1e6,
          'avg_runtime_ms', sum(dur) / 1e6 / sum(number),
          'avg_freq_khz', CAST(sum(work) / sum(known_dur) AS INT),
          'mcycles', CAST(sum(work) / 1e12 AS INT))
        FROM _net_action_of_core
        WHERE name = 'NET_RX'
      ),
      'core', (
        SELECT RepeatedField(AndroidNetworkMetric_CoreNetRxActionStatistic(
          'id', cpu,
          'net_rx_action_statistic', AndroidNetworkMetric_NetRxActionStatistic(
            'count', number,
            'runtime_ms', dur / 1e6,
            'avg_runtime_ms', dur / 1e6 / number,
            'avg_freq_khz', CAST(work / known_dur AS INT),
            'mcycles', CAST(work / 1e12 AS INT))))
        FROM (SELECT * FROM _net_action_of_core WHERE name = 'NET_RX' ORDER BY cpu)
      ),
      'avg_interstack_latency_ms', (
        SELECT sum(dur) / 1e6 / (SELECT count(*) FROM _packet WHERE way = 'rx')
        FROM _net_action_of_core
        WHERE name = 'NET_RX'
      ))
  ),
  'retransmission_rate', (
    SELECT 100.0 * count(*) / (SELECT count(*) FROM _packet WHERE way = 'tx')
    FROM slice AS s
    JOIN track AS t ON t.id = s.track_id
    WHERE t.type = 'net_tcp_retransmit_skb'
  ),
  'kfree_skb_rate', (
    SELECT 100.0 * max(c.value) / (SELECT count(*) FROM _packet)
    FROM counter AS c
    JOIN track AS t ON t.id = c.track_id
    WHERE t.type = 'net_kfree_skb'
  ),
  'net_tx_action', (
    SELECT AndroidNetworkMetric_NetTxAction(
      'total', (
        SELECT AndroidNetworkMetric_NetTxActionStatistic(
          'count', ifnull(sum(number), 0),
          'runtime_ms', sum(dur) / 1e6,
          'avg_runtime_ms', sum(dur) / 1e6 / sum(number),
          'avg_freq_khz', CAST(sum(work) / sum(known_dur) AS INT),
          'mcycles', CAST(sum(work) / 1e12 AS INT))
        FROM _net_action_of_core
        WHERE name = 'NET_TX'
      ),
      'core', (
        SELECT RepeatedField(AndroidNetworkMetric_CoreNetTxActionStatistic(
          'id', cpu,
          'net_tx_action_statistic', AndroidNetworkMetric_NetTxActionStatistic(
            'count', number,
            'runtime_ms', dur / 1e6,
            'avg_runtime_ms', dur / 1e6 / number,
            'avg_freq_khz', CAST(work / known_dur AS INT),
            'mcycles', CAST(work / 1e12 AS INT))))
        FROM (SELECT * FROM _net_action_of_core WHERE name = 'NET_TX' ORDER BY cpu)
      ))
  ),
  'ipi_action', (
    SELECT AndroidNetworkMetric_IpiAction(
      'total', AndroidNetworkMetric_IpiActionStatistic(
        'count', count(*),
        'runtime_ms', sum(s.dur) / 1e6,
        'avg_runtime_ms', avg(s.dur) / 1e6))
    FROM slice AS s
    JOIN cpu_track AS t ON t.id = s.track_id
    WHERE t.type = 'cpu_irq' AND s.name = 'IRQ (IPI)' AND s.dur >= 0
  )
) AS message;
