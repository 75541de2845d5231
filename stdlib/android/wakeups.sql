-- What woke the device, or kept it from going to sleep.

INCLUDE PERFETTO MODULE android.suspend;

-- Instants "MILLIS REASON" on the track wakeup_reason. The attribution comes later under the same
-- number of milliseconds, how well the suspend before had gone in the line before.
CREATE PERFETTO TABLE _wakeup_lines AS
SELECT s.ts, t.name AS kind, s.name AS line, str_split(s.name, ' ', 0) AS millis,
  substr(s.name, instr(s.name, ' ') + 1) AS detail
FROM track AS t
JOIN slice AS s ON s.track_id = t.id
WHERE t.name IN ('wakeup_reason', 'wakeup_attribution', 'suspend_backoff')
ORDER BY s.ts;

CREATE PERFETTO TABLE _wakeup_attributions AS
SELECT millis, max(detail) AS attribution
FROM _wakeup_lines
WHERE kind = 'wakeup_attribution'
GROUP BY millis;

-- "good", or "bad STATE REASON COUNT MILLIS" while the system waits ever longer to suspend again.
CREATE PERFETTO TABLE _wakeup_reasons AS
SELECT row_number() OVER (ORDER BY ts) AS id, ts, millis, detail AS reason,
  str_split(backoff, ' ', 0) AS quality, str_split(backoff, ' ', 1) AS backoff_state,
  str_split(backoff, ' ', 2) AS backoff_reason,
  CAST(str_split(backoff, ' ', 3) AS INTEGER) AS backoff_count,
  CAST(str_split(backoff, ' ', 4) AS INTEGER) AS backoff_millis
FROM (
  SELECT *, iif(lag(kind) OVER by_ts = 'suspend_backoff', lag(line) OVER by_ts, NULL) AS backoff
  FROM _wakeup_lines
  WHERE kind <> 'wakeup_attribution'
  WINDOW by_ts AS (ORDER BY ts)
)
WHERE kind = 'wakeup_reason';

-- After a good suspend a wakeup is blamed for at most 5 s, or until the next one or a suspend.
CREATE PERFETTO TABLE _wakeup_nexts AS
SELECT ts, lead(ts) OVER (ORDER BY ts) AS next_ts
FROM (
  SELECT ts FROM _wakeup_reasons
  UNION
  SELECT ts FROM android_suspend_state WHERE power_state = 'suspended'
);

-- What a reason lists: pending sources apart by spaces, or interrupts "NUMBER NAME" by colons.
CREATE PERFETTO TABLE _wakeup_items AS
SELECT r.id, 'abort_pending' AS type, item.value AS item
FROM _wakeup_reasons AS r
JOIN json_each('["' || replace(replace(
  regexp_extract(r.reason, '^Abort: Pending Wakeup Sources: (.*?) *$'), '"', ''), ' ', '","')
  || '"]') AS item
UNION ALL
SELECT id, iif(reason GLOB 'Abort: Last active Wakeup Source: *', 'abort_last_active',
  'abort_other'), regexp_replace_simple(reason, '^Abort: (Last active Wakeup Source: )?', '')
FROM _wakeup_reasons
WHERE reason GLOB 'Abort: *' AND reason NOT GLOB 'Abort: Pending Wakeup Sources: *'
UNION ALL
SELECT r.id, 'normal', regexp_replace_simple(item.value, '^\d+ ', '')
FROM _wakeup_reasons AS r
JOIN json_each('["' || replace(replace(r.reason, '"', ''), ':', '","') || '"]') AS item
WHERE r.reason NOT GLOB 'Abort: *';

-- One row per item of a wakeup, or of a suspend that was aborted.
CREATE PERFETTO TABLE android_wakeups(
  -- When the device woke up, or the suspend was aborted.
  ts TIMESTAMP,
  -- How long the device was awake because of this: up to 5 s, after a bad suspend until the next
  -- try, 0 if not known.
  dur DURATION,
  -- The reason as the kernel gives it, all items together.
  raw_wakeup STRING,
  -- Whom the device itself blamed; NULL if not traced.
  on_device_attribution STRING,
  -- `normal` for wakeups, `abort_pending`, `abort_last_active` or `abort_other` for aborted
  -- suspends.
  type STRING,
  -- One source or interrupt of the reason.
  item STRING,
  -- How well the suspend before had gone: `good` or `bad`; NULL if not traced.
  suspend_quality STRING,
  -- State of the waits between tries, as traced; NULL after a good suspend.
  backoff_state STRING,
  -- Why the system waits before the next try; `none` if not told.
  backoff_reason STRING,
  -- How many bad suspends there were in a row; NULL after a good one.
  backoff_count LONG,
  -- How long the system waits, in ms; NULL after a good suspend.
  backoff_millis LONG
) AS
SELECT r.ts,
  CASE r.quality
    WHEN 'good' THEN min(5000000000, coalesce(n.next_ts - r.ts, 5000000000))
    WHEN 'bad' THEN r.backoff_millis * 1000000
    ELSE 0
  END AS dur,
  r.reason AS raw_wakeup, a.attribution AS on_device_attribution, i.type, i.item,
  r.quality AS suspend_quality, r.backoff_state,
  coalesce(r.backoff_reason, 'none') AS backoff_reason, r.backoff_count, r.backoff_millis
FROM _wakeup_items AS i
JOIN _wakeup_reasons AS r ON r.id = i.id
JOIN _wakeup_nexts AS n ON n.ts = r.ts
LEFT JOIN _wakeup_attributions AS a ON a.millis = r.millis
ORDER BY r.ts;
