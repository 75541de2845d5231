-- What each power rail had used when, and its mean power.
INCLUDE PERFETTO MODULE android.power_rails;

CREATE OR REPLACE PERFETTO VIEW _rail_samples AS
SELECT
  t.name,
  min(c.ts) AS first_ts,
  RepeatedField(AndroidPowerRails_EnergyData(
    'timestamp_ms', CAST(c.ts / 1000000 AS INT), 'energy_uws', c.value)) AS samples
FROM (SELECT * FROM counter ORDER BY ts) AS c
JOIN track AS t ON t.id = c.track_id
WHERE t.name GLOB 'power.*'
GROUP BY t.name;

CREATE OR REPLACE PERFETTO TABLE _rail_power AS
SELECT
  power_rail_name AS name,
  min(ts) AS first_ts,
  max(ts) AS last_ts,
  sum(energy_delta) AS energy,
  sum(energy_delta) / ((max(ts) - min(ts)) / 1e6) AS power_mw
FROM android_power_rails_counters
GROUP BY name;

CREATE OR REPLACE PERFETTO VIEW android_powrails_output AS
SELECT AndroidPowerRails(
  'power_rails', (
    SELECT RepeatedField(AndroidPowerRails_PowerRails(
      'name', name, 'energy_data', samples, 'avg_used_power_mw', power_mw))
    FROM (SELECT s.*, p.power_mw
      FROM _rail_samples AS s
      LEFT JOIN _rail_power AS p USING (name)
      ORDER BY s.first_ts, name)
  ),
  'avg_total_used_power_mw', (
    SELECT sum(energy) / ((max(last_ts) - min(first_ts)) / 1e6) FROM _rail_power
  )
) AS message;
