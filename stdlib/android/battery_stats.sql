-- What the system's battery statistics noted: states as counters, events with a start and an end.

-- What the values of a track mean. The values of other tracks are numbers.
CREATE PERFETTO TABLE _battery_stats_values AS
WITH names(tracks, list) AS (
  VALUES
    ('wifi_scan,wifi_radio,mobile_radio,audio,video,camera,power_save,phone_in_call',
      'inactive,active'),
    ('wifi', 'off,on'),
    ('phone_state', 'in,out,emergency,off'),
    ('phone_signal_strength,wifi_signal_strength', '0/4,1/4,2/4,3/4,4/4'),
    ('wifi_suppl', 'invalid,disconnected,disabled,inactive,scanning,authenticating,associating,'
      || 'associated,4-way-handshake,group-handshake,completed,dormant,uninitialized'),
    ('data_conn', 'Out of service,2.5G (GPRS),2.7G (EDGE),3G (UMTS),3G (CDMA),3G (EVDO Rel 0),'
      || '3G (EVDO Rev A),3G (LXRTT),3.5G (HSDPA),3.5G (HSUPA),3.5G (HSPA),2G (IDEN),'
      || '3G (EVDO Rev B),4G (LTE),3.5G (eHRPD),3.7G (HSPA+),2G (GSM),3G (TD SCDMA),'
      || 'Wifi calling (IWLAN),4.5G (LTE CA),5G (NR),Emergency calls only,Other')
)
SELECT 'battery_stats.' || t.value AS track, v.key AS value, v.value AS name
FROM names AS n
JOIN json_each('["' || replace(n.tracks, ',', '","') || '"]') AS t
JOIN json_each('["' || replace(n.list, ',', '","') || '"]') AS v;

-- What a value on a track of battery statistics means.
CREATE PERFETTO FUNCTION android_battery_stats_counter_to_string(
  -- Name of the counter track, e.g. `battery_stats.wifi`.
  track STRING,
  -- The counter's value.
  value DOUBLE
)
-- Name of the value, `unknown` for one that the track should not have; the number as text on other
-- tracks.
RETURNS STRING AS
SELECT coalesce((
  SELECT name FROM _battery_stats_values WHERE track = $track AND value = $value
), iif(EXISTS (SELECT 1 FROM _battery_stats_values WHERE track = $track), 'unknown',
  CAST($value AS TEXT)));

-- One row per state that batterystats recorded as a counter. `dur` is -1 where nothing follows,
-- `safe_dur` lasts to the trace's end then.
CREATE PERFETTO VIEW android_battery_stats_state(
  -- When the state began.
  ts TIMESTAMP,
  -- Time until the track's next value; -1 if there is none.
  dur DURATION,
  -- As `dur`, but up to the end of the trace if there is no next value.
  safe_dur DURATION,
  -- Name of the counter track, `battery_stats.` and what is counted.
  track_name STRING,
  -- The counter's value.
  value LONG,
  -- What `value` means, by android_battery_stats_counter_to_string.
  value_name STRING
) AS
SELECT ts, coalesce(next_ts - ts, -1) AS dur, coalesce(next_ts, trace_end()) - ts AS safe_dur,
  track_name, CAST(value AS INTEGER) AS value,
  android_battery_stats_counter_to_string(track_name, value) AS value_name
FROM (
  SELECT c.ts, lead(c.ts) OVER (PARTITION BY t.name ORDER BY c.ts) AS next_ts, t.name AS track_name,
    c.value
  FROM counter_track AS t
  JOIN counter AS c ON c.track_id = t.id
  WHERE t.name GLOB 'battery_stats.*'
);

-- One row per event of batterystats that has a start and an end. Events are instants like
-- +top=123:"mail", and -top=123:"mail" where that ends. Without a start they began before the
-- trace, without an end they lasted beyond it.
CREATE PERFETTO VIEW android_battery_stats_event_slices(
  -- When the event began.
  ts TIMESTAMP,
  -- How long the event lasted; -1 if it did not end in the trace.
  dur DURATION,
  -- As `dur`, but up to the end of the trace if the event did not end.
  safe_dur DURATION,
  -- Name of the track, `battery_stats.` and the kind of event.
  track_name STRING,
  -- What the event is about, e.g. a package: the quoted part of the event's name.
  str_value STRING,
  -- The number before the quoted part of the event's name, most often a uid.
  int_value LONG
) AS
SELECT ts, coalesce(ts_end - ts, -1) AS dur, coalesce(ts_end, trace_end()) - ts AS safe_dur,
  track_name, str_split(item, '"', 1) AS str_value,
  CAST(str_split(item, ':', 0) AS INTEGER) AS int_value
FROM (
  SELECT iif(is_start, ts, trace_start()) AS ts,
    iif(is_start, lead(ts) OVER by_item, ts) AS ts_end, track_name, item, is_start,
    lag(ts) OVER by_item AS previous_ts
  FROM (
    SELECT s.ts, t.name AS track_name, s.name GLOB '+*' AS is_start,
      substr(s.name, instr(s.name, '=') + 1) AS item
    FROM track AS t
    JOIN slice AS s ON s.track_id = t.id
    WHERE t.name GLOB 'battery_stats.*' AND (s.name GLOB '+*' OR s.name GLOB '-*')
  )
  WINDOW by_item AS (PARTITION BY track_name, item ORDER BY ts)
)
WHERE is_start OR previous_ts IS NULL;
