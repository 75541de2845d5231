-- Input events on their way to apps and back, and the events themselves where they were recorded.

INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE android.surfaceflinger;
INCLUDE PERFETTO MODULE intervals.intersect;
INCLUDE PERFETTO MODULE slices.with_context;

-- Both ends of a channel say "sendMessage(inputChannel=NAME (server), seq=0x1, type=0x1)" or
-- receiveMessage, apps with "(client)". Type 2 is FINISHED, an app's answer.
CREATE PERFETTO TABLE _input_messages AS
SELECT id, ts, dur, track_id, utid, tid, thread_name, upid, pid, process_name,
  name GLOB 'send*' AS is_sent, thread_name = 'InputDispatcher' AS is_system,
  replace(regexp_extract(name, 'inputChannel=(.*), seq='), '(client)', '(server)') AS channel,
  regexp_extract(name, 'seq=([^,]+)') AS seq, regexp_extract(name, 'type=([^)]+)') AS type
FROM thread_slice
WHERE name GLOB 'sendMessage(*' OR name GLOB 'receiveMessage(*';

CREATE PERFETTO TABLE _input_answers AS
SELECT id, ts, tid, thread_name, upid, pid, process_name, is_sent, channel, seq
FROM _input_messages
WHERE type IN ('0x2', 'FINISHED') AND is_sent <> is_system;

-- The slices around a dispatched message name the event.
CREATE PERFETTO TABLE _input_dispatches AS
SELECT m.id, m.ts, m.dur, m.track_id, m.channel, m.seq, m.type,
  regexp_extract(a.name, 'id=(0x[0-9a-f]+)') AS event_id
FROM _input_messages AS m
LEFT JOIN ancestor_slice(m.id) AS a ON a.name GLOB '*id=0x*'
WHERE m.is_system AND m.is_sent
GROUP BY m.id
HAVING max(coalesce(a.depth, 0)) IS NOT NULL;

CREATE PERFETTO TABLE _input_reads AS
SELECT regexp_extract(name, 'id=(0x[0-9a-f]+)') AS event_id, min(ts) AS ts,
  CAST(regexp_extract(name, 'eventTime=([^)]*)') AS INTEGER) AS event_time
FROM slice
WHERE name GLOB 'UnwantedInteractionBlocker::notifyMotion*'
GROUP BY event_id;

-- An app handles an event in "deliverInputEvent src=0x1002 eventTimeNano=1 id=0x2". A window
-- handles what its thread received last.
CREATE PERFETTO TABLE _input_deliveries AS
SELECT s.id, s.ts, s.utid, s.upid, regexp_extract(s.name, ' id=(0x[0-9a-f]+)') AS event_id,
  regexp_extract(parent.name, 'ACTION_([A-Z_]+)') AS action, (
    SELECT m.channel
    FROM _input_messages AS m
    WHERE m.track_id = s.track_id AND NOT m.is_sent AND m.ts < s.ts
    ORDER BY m.ts DESC
    LIMIT 1
  ) AS channel
FROM thread_slice AS s
LEFT JOIN slice AS parent ON parent.id = s.parent_id
WHERE s.name GLOB 'deliverInputEvent src=*';

CREATE PERFETTO TABLE _input_ui_frames AS
SELECT f.frame_id, f.do_frame_id, f.ui_thread_utid, s.ts
FROM android_frames AS f
JOIN slice AS s ON s.id = f.do_frame_id
ORDER BY s.ts;

-- The frame within which an event was handled shows it; for others the thread's next frame is taken
-- to (it is speculative).
CREATE PERFETTO TABLE _input_frames AS
SELECT d.id, f.frame_id, f.do_frame_id, d.inside IS NULL AS is_next
FROM (
  SELECT id, (
      SELECT min(f.do_frame_id)
      FROM ancestor_slice(e.id) AS a
      JOIN _input_ui_frames AS f ON f.do_frame_id = a.id
    ) AS inside, (
      SELECT f.do_frame_id
      FROM _input_ui_frames AS f
      WHERE f.ui_thread_utid = e.utid AND f.ts >= e.ts
      ORDER BY f.ts
      LIMIT 1
    ) AS next
  FROM _input_deliveries AS e
) AS d
JOIN _input_ui_frames AS f ON f.do_frame_id = coalesce(d.inside, d.next);

-- Frames are on the screen at the end of SurfaceFlinger's frame with the same display token.
CREATE PERFETTO TABLE _timeline_frames AS
SELECT upid, ts, ts + dur AS ts_end, display_frame_token AS token,
  coalesce(surface_frame_token, 0) = 0 AS is_display, present_type
FROM actual_frame_timeline_slice;

CREATE PERFETTO TABLE _display_frames AS
SELECT token, min(ts_end) AS present_ts FROM _timeline_frames WHERE is_display GROUP BY token;

CREATE PERFETTO TABLE _presented_frames AS
SELECT f.upid, f.ts, d.present_ts
FROM _timeline_frames AS f
JOIN _display_frames AS d USING (token)
WHERE NOT f.is_display AND f.present_type <> 'Dropped Frame'
ORDER BY f.ts;

CREATE PERFETTO TABLE _input_presents AS
SELECT f.do_frame_id, (
    SELECT p.present_ts
    FROM _presented_frames AS p
    WHERE p.upid = f.upid AND p.ts >= f.ts
    ORDER BY p.ts
    LIMIT 1
  ) AS present_ts
FROM android_frames AS f
WHERE f.do_frame_id IN (SELECT do_frame_id FROM _input_frames);

CREATE PERFETTO TABLE _handled_input AS
SELECT d.event_id, d.channel, d.action, f.frame_id, f.is_next, p.present_ts
FROM _input_deliveries AS d
LEFT JOIN _input_frames AS f ON f.id = d.id
LEFT JOIN _input_presents AS p ON p.do_frame_id = f.do_frame_id
GROUP BY d.event_id, d.channel
HAVING min(d.ts) IS NOT NULL;

-- A channel's name without what differs each time: "1a2b com.app/Main" and "1a2b PopupWindow:3c4d"
-- without the window's numbers, "PointerEventDispatcher2" without the last digits. Gesture monitors
-- have names of their own.
CREATE PERFETTO FUNCTION _normalize_event_channel(event_channel STRING) RETURNS STRING AS
SELECT CASE
  WHEN $event_channel GLOB '[[]*] *' THEN $event_channel
  WHEN $event_channel GLOB '* *' THEN trim(substr(
    iif($event_channel GLOB '* *:*', str_split($event_channel, ':', 0), $event_channel),
    instr($event_channel, ' ') + 1))
  WHEN $event_channel GLOB '*[0-9]' THEN regexp_extract($event_channel, '^(.*[a-zA-Z])')
  ELSE $event_channel
END;

-- One row per event that was sent to a window and answered. The four steps of an event: sent by the
-- system, received by the app, answered, and the answer's arrival.
CREATE PERFETTO TABLE android_input_events(
  -- From sending to reception by the app.
  dispatch_latency_dur DURATION,
  -- From reception to the app's answer.
  handling_latency_dur DURATION,
  -- From the answer to its arrival at the dispatcher.
  ack_latency_dur DURATION,
  -- Sum of the three.
  total_latency_dur DURATION,
  -- From reading the event to the display of the frame that shows it; NULL if not known.
  end_to_end_latency_dur DURATION,
  -- Tid of the app's thread that answered.
  tid LONG,
  -- Name of the app's thread that answered.
  thread_name STRING,
  -- The app's process.
  upid JOINID(process.upid),
  -- Pid of the app's process.
  pid LONG,
  -- Name of the app's process.
  process_name STRING,
  -- Type of the message, by number or name, e.g. `0x1`.
  event_type STRING,
  -- Action of a motion event without `ACTION_`, e.g. `MOVE`; NULL if not known.
  event_action STRING,
  -- Number of the message within its channel, as hex.
  event_seq STRING,
  -- Name of the input channel.
  event_channel STRING,
  -- `event_channel` without what differs from one run to the next.
  normalized_event_channel STRING,
  -- The event's id, as hex; one event may go to several windows.
  input_event_id STRING,
  -- When the reader handed the event on; NULL if not traced.
  read_time TIMESTAMP,
  -- Track of the dispatcher's thread.
  dispatch_track_id JOINID(track.id),
  -- When the event was sent.
  dispatch_ts TIMESTAMP,
  -- How long sending took.
  dispatch_dur DURATION,
  -- Track of the app's thread that received the event.
  receive_track_id JOINID(track.id),
  -- When the app received the event.
  receive_ts TIMESTAMP,
  -- How long receiving took.
  receive_dur DURATION,
  -- Frame that shows the event's effect (joins android_frames.frame_id); NULL if not known.
  frame_id LONG,
  -- Whether `frame_id` is only the next frame, not the one within which the event was handled.
  is_speculative_frame BOOL,
  -- When the event happened, by its own account; NULL if not traced.
  event_time TIMESTAMP
) AS
SELECT received.ts - sent.ts AS dispatch_latency_dur,
  answered.ts - received.ts AS handling_latency_dur, done.ts - answered.ts AS ack_latency_dur,
  done.ts - sent.ts AS total_latency_dur, h.present_ts - r.ts AS end_to_end_latency_dur,
  answered.tid, answered.thread_name, answered.upid, answered.pid, answered.process_name,
  sent.type AS event_type, h.action AS event_action, sent.seq AS event_seq,
  sent.channel AS event_channel,
  _normalize_event_channel(sent.channel) AS normalized_event_channel,
  sent.event_id AS input_event_id, r.ts AS read_time, sent.track_id AS dispatch_track_id,
  sent.ts AS dispatch_ts, sent.dur AS dispatch_dur, received.track_id AS receive_track_id,
  received.ts AS receive_ts, received.dur AS receive_dur, h.frame_id,
  h.is_next AS is_speculative_frame, r.event_time
FROM _input_dispatches AS sent
JOIN _input_messages AS received ON received.channel = sent.channel AND received.seq = sent.seq
  AND NOT received.is_sent AND NOT received.is_system AND received.type NOT IN ('0x2', 'FINISHED')
JOIN _input_answers AS answered ON answered.channel = sent.channel AND answered.seq = sent.seq
  AND answered.is_sent
JOIN _input_answers AS done ON done.channel = sent.channel AND done.seq = sent.seq
  AND NOT done.is_sent
LEFT JOIN _input_reads AS r ON r.event_id = sent.event_id
LEFT JOIN _handled_input AS h ON h.event_id = sent.event_id AND h.channel = sent.channel
ORDER BY sent.ts;

-- Key events as the system recorded them.
CREATE PERFETTO VIEW android_key_events(
  -- Number of the row.
  id LONG,
  -- The event's random id (joins android_input_event_dispatch.event_id).
  event_id LONG,
  -- When the event happened.
  ts TIMESTAMP,
  -- The whole event (joins args.arg_set_id).
  arg_set_id ARGSETID,
  -- Class of the device, InputDevice.SOURCE_*, as bits.
  source LONG,
  -- What happened, KeyEvent.ACTION_*.
  action LONG,
  -- Id of the device; NULL if not recorded.
  device_id LONG,
  -- The display that the event is for; NULL if not recorded.
  display_id LONG,
  -- The key, KeyEvent.KEYCODE_*; NULL if not recorded.
  key_code LONG
) AS
SELECT id, event_id, ts, arg_set_id, source, action, device_id, display_id, key_code
FROM __intrinsic_android_key_events;

-- Motion events as the system recorded them.
CREATE PERFETTO VIEW android_motion_events(
  -- Number of the row.
  id LONG,
  -- The event's random id (joins android_input_event_dispatch.event_id).
  event_id LONG,
  -- When the event happened.
  ts TIMESTAMP,
  -- The whole event (joins args.arg_set_id).
  arg_set_id ARGSETID,
  -- Class of the device, InputDevice.SOURCE_*, as bits.
  source LONG,
  -- What happened, MotionEvent.ACTION_*, with the pointer's index in bits 8 to 15.
  action LONG,
  -- Id of the device; NULL if not recorded.
  device_id LONG,
  -- The display that the event is for; NULL if not recorded.
  display_id LONG
) AS
SELECT id, event_id, ts, arg_set_id, source, action, device_id, display_id
FROM __intrinsic_android_motion_events;

-- One row per window to which an event was dispatched.
CREATE PERFETTO VIEW android_input_event_dispatch(
  -- Number of the row.
  id LONG,
  -- The event (joins android_key_events.event_id or android_motion_events.event_id).
  event_id LONG,
  -- The whole message (joins args.arg_set_id).
  arg_set_id ARGSETID,
  -- Vsync id of the window's state by which the target was chosen.
  vsync_id LONG,
  -- Id of the window.
  window_id LONG
) AS
SELECT id, event_id, arg_set_id, vsync_id, window_id
FROM __intrinsic_android_input_event_dispatch;

-- Apps handle what they received, "InputConsumer processing on ..."; the cookie is the message's
-- number within its channel.
CREATE PERFETTO TABLE _input_consumers_lookup AS
SELECT id, track_id, ts, dur, printf('0x%x', extract_arg(arg_set_id, 'cookie')) AS cookie
FROM slice
WHERE name GLOB 'InputConsumer processing on*';

CREATE PERFETTO INDEX _input_consumers_lookup_by_cookie ON _input_consumers_lookup(cookie);

-- Events of which a slice is a step: reading, sending, receiving or handling. What is behind
-- is_speculative_frame is what the UI of v57 asks for, too.
CREATE PERFETTO FUNCTION _android_input_lifecycle_by_slice_id(
  -- The slice.
  slice_id LONG
) RETURNS TABLE(
  -- The event's id, as hex.
  input_id STRING,
  -- Name of the input channel.
  channel STRING,
  -- From reading the event to the display of the frame that shows it; NULL if not known.
  total_latency LONG,
  -- When the event was read.
  ts_reader LONG,
  -- When it was sent.
  ts_dispatch LONG,
  -- When the app received it.
  ts_receive LONG,
  -- When the app handled it.
  ts_consume LONG,
  -- Slice of reading.
  id_reader LONG,
  -- Its track.
  track_reader LONG,
  -- How long it took.
  dur_reader LONG,
  -- Slice of sending.
  id_dispatch LONG,
  -- Its track.
  track_dispatch LONG,
  -- How long it took.
  dur_dispatch LONG,
  -- Slice of receiving.
  id_receive LONG,
  -- Its track.
  track_receive LONG,
  -- How long it took.
  dur_receive LONG,
  -- Slice of handling.
  id_consume LONG,
  -- Its track.
  track_consume LONG,
  -- How long it took.
  dur_consume LONG,
  -- Whether the frame is only the next one, not the one within which the event was handled.
  is_speculative_frame BOOL,
  -- When the frame's callback began; NULL if the frame is not known.
  ts_frame LONG,
  -- Slice of the callback.
  id_frame LONG,
  -- Its track.
  track_frame LONG,
  -- How long it took.
  dur_frame LONG
) AS
SELECT e.input_event_id AS input_id, e.event_channel AS channel,
  e.end_to_end_latency_dur AS total_latency, e.read_time AS ts_reader,
  e.dispatch_ts AS ts_dispatch, e.receive_ts AS ts_receive, consumed.ts AS ts_consume,
  reader.id AS id_reader, reader.track_id AS track_reader, reader.dur AS dur_reader,
  sent.id AS id_dispatch, e.dispatch_track_id AS track_dispatch, sent.dur AS dur_dispatch,
  received.id AS id_receive, e.receive_track_id AS track_receive, received.dur AS dur_receive,
  consumed.id AS id_consume, consumed.track_id AS track_consume, consumed.dur AS dur_consume,
  e.is_speculative_frame, frame.ts AS ts_frame, frame.id AS id_frame,
  frame.track_id AS track_frame, frame.dur AS dur_frame
FROM android_input_events AS e
LEFT JOIN slice AS reader ON reader.ts = e.read_time AND reader.track_id <> 0
LEFT JOIN slice AS sent ON sent.ts = e.dispatch_ts AND sent.track_id = e.dispatch_track_id
LEFT JOIN slice AS received ON received.ts = e.receive_ts
  AND received.track_id = e.receive_track_id
LEFT JOIN _input_consumers_lookup AS consumed ON consumed.cookie = e.event_seq
LEFT JOIN slice AS frame ON frame.id = (
  SELECT min(f.id) FROM android_frames_choreographer_do_frame AS f
  WHERE f.frame_id = e.frame_id AND f.upid = e.upid
)
WHERE $slice_id IN (reader.id, sent.id, received.id, consumed.id);

-- SurfaceFlinger composes a frame in "composite 123".
CREATE PERFETTO TABLE _input_sf_composite AS
SELECT s.id, s.track_id, s.ts, s.dur, CAST(str_split(s.name, ' ', 1) AS INTEGER) AS vsync_id
FROM slice AS s
JOIN thread_track AS t ON t.id = s.track_id
JOIN thread USING (utid)
JOIN process USING (upid)
WHERE process.name = '/system/bin/surfaceflinger' AND thread.is_main_thread
  AND s.name GLOB 'composite *';

CREATE PERFETTO TABLE _input_sf_resolved AS
SELECT m.app_upid, m.app_vsync, s.id, s.track_id, s.ts, s.dur
FROM android_app_to_sf_frame_timeline_match AS m
JOIN _input_sf_composite AS s ON s.vsync_id = m.sf_vsync;

-- Every frame of a process with its callback, its drawings and SurfaceFlinger's composition.
CREATE PERFETTO VIEW _android_input_frames AS
SELECT f.upid, f.frame_id, c.id AS id_do_frame, c_slice.track_id AS track_do_frame,
  c.ts AS ts_do_frame, c_slice.dur AS dur_do_frame, d.id AS id_draw_frames,
  d_slice.track_id AS track_draw_frames, d_slice.ts AS ts_draw_frames,
  d_slice.dur AS dur_draw_frames, sf.id AS id_sf, sf.track_id AS track_sf, sf.ts AS ts_sf,
  sf.dur AS dur_sf
FROM (
  SELECT frame_id, upid FROM android_frames_choreographer_do_frame
  UNION
  SELECT frame_id, upid FROM android_frames_draw_frame
  UNION
  SELECT app_vsync, app_upid FROM _input_sf_resolved
) AS f
LEFT JOIN android_frames_choreographer_do_frame AS c ON c.frame_id = f.frame_id AND c.upid = f.upid
LEFT JOIN slice AS c_slice ON c_slice.id = c.id
LEFT JOIN android_frames_draw_frame AS d ON d.frame_id = f.frame_id AND d.upid = f.upid
LEFT JOIN slice AS d_slice ON d_slice.id = d.id
LEFT JOIN _input_sf_resolved AS sf ON sf.app_vsync = f.frame_id AND sf.app_upid = f.upid;

-- What stands in the names of slices on the way of an event, as tables.

-- The value of the nth `key=` of a name, up to `mark`.
CREATE PERFETTO MACRO _input_value(name Expr, n Expr, mark Expr) RETURNS Expr AS
str_split(str_split($name, '=', $n), $mark, 0);

CREATE PERFETTO MACRO _input_message_slices(pattern Expr) RETURNS TableOrSubquery AS (
  SELECT _input_value!(name, 3, ')') AS event_type, _input_value!(name, 2, ',') AS event_seq,
    _input_value!(name, 1, ',') AS event_channel, tid, thread_name, upid, pid, process_name, ts,
    dur, track_id
  FROM thread_slice
  WHERE name GLOB $pattern AND upid IS NOT NULL
  ORDER BY event_seq
);

CREATE PERFETTO VIEW _input_message_sent AS
SELECT * FROM _input_message_slices!('sendMessage(*');

CREATE PERFETTO VIEW _input_message_received AS
SELECT * FROM _input_message_slices!('receiveMessage(*');

CREATE PERFETTO VIEW _input_read_time AS
SELECT name, str_split(str_split(str_split(name, 'id=', 1), ',', 0), ')', 0) AS input_event_id,
  ts AS read_time
FROM slice
WHERE name GLOB 'UnwantedInteractionBlocker::notifyMotion*';

-- The dispatcher sends a message within three slices, the outermost of which names the event.
CREATE PERFETTO VIEW _event_seq_to_input_event_id AS
SELECT _input_value!(sent.name, 2, ',') AS event_seq,
  _input_value!(sent.name, 1, ',') AS event_channel,
  str_split(str_split(_input_value!(sent.name, 1, ','), ' ', 1), '/', 0) AS process_name,
  _input_value!(enqueue.name, 2, ')') AS input_event_id, sent.utid, sent.thread_name
FROM thread_slice AS sent
JOIN slice AS publish ON publish.id = sent.parent_id
JOIN slice AS dispatch ON dispatch.id = publish.parent_id
JOIN slice AS enqueue ON enqueue.id = dispatch.parent_id
WHERE sent.name GLOB 'sendMessage(*' AND sent.thread_name = 'InputDispatcher';

-- Where apps handle events.
CREATE PERFETTO VIEW _clean_deliver_events AS
SELECT s.id, s.ts, s.dur, s.utid, s.upid, s.process_name,
  str_split(s.name, '=', 3) AS extracted_input_event_id,
  str_split(handling.name, ' ', 2) AS event_action,
  CAST(str_split(str_split(s.name, ' ', 2), '=', 1) AS INTEGER) AS event_time,
  handling.ts AS consume_time, handling.ts + handling.dur AS finish_time
FROM thread_slice AS s
JOIN slice AS handling ON handling.id = s.parent_id
WHERE s.name GLOB 'deliverInputEvent src=*';

-- Frames by their callbacks, numbered or not.
CREATE PERFETTO VIEW _frame_choreographer_lookup AS
SELECT id, track_id, ts, dur, CAST(str_split(name, ' ', 1) AS INTEGER) AS frame_id
FROM slice
WHERE name GLOB 'Choreographer#doFrame*';

CREATE PERFETTO VIEW _clean_android_frames AS
SELECT f.id AS do_frame_id, f.ts AS do_frame_ts, s.dur AS do_frame_dur, f.ui_thread_utid AS utid,
  f.frame_id
FROM android_frames_choreographer_do_frame AS f
JOIN slice AS s ON s.id = f.id;

-- The frames whose callback handled an event; for the other events the next frame of the thread is
-- taken to.
CREATE PERFETTO VIEW _input_event_frame_intersections AS
SELECT id_0 AS do_frame_id_key, id_1 AS event_id_key, 0 AS is_speculative_match
FROM _interval_intersect!((
  (SELECT do_frame_id AS id, do_frame_ts AS ts, do_frame_dur AS dur, utid
   FROM _clean_android_frames
   WHERE do_frame_dur > 0),
  (SELECT id, ts, dur, utid FROM _clean_deliver_events WHERE dur > 0)
), (utid));

CREATE PERFETTO VIEW _input_events_pending_frame_match AS
SELECT *
FROM _clean_deliver_events
WHERE id NOT IN (SELECT event_id_key FROM _input_event_frame_intersections);

CREATE PERFETTO VIEW _input_event_frame_speculative_matches AS
SELECT do_frame_id AS do_frame_id_key, event_id AS event_id_key, 1 AS is_speculative_match
FROM (
  SELECT f.do_frame_id, e.id AS event_id, min(f.do_frame_ts)
  FROM _input_events_pending_frame_match AS e
  JOIN _clean_android_frames AS f ON f.utid = e.utid AND f.do_frame_ts >= e.ts
  GROUP BY e.id
);

CREATE PERFETTO VIEW _input_event_frame_association AS
SELECT * FROM _input_event_frame_intersections
UNION ALL
SELECT * FROM _input_event_frame_speculative_matches;

CREATE PERFETTO TABLE _input_event_id_to_android_frame AS
SELECT e.extracted_input_event_id AS input_event_id, e.event_action, e.event_time, e.consume_time,
  e.finish_time, e.utid, e.upid, e.process_name, f.frame_id, f.do_frame_ts AS frame_ts,
  sent.event_channel, shown.is_speculative_match
FROM _input_event_frame_association AS shown
JOIN _clean_android_frames AS f ON f.do_frame_id = shown.do_frame_id_key
JOIN _clean_deliver_events AS e ON e.id = shown.event_id_key
JOIN _event_seq_to_input_event_id AS sent
  ON sent.input_event_id = e.extracted_input_event_id AND sent.process_name = e.process_name;

-- Frames of apps with the frame of SurfaceFlinger that showed them.
CREATE PERFETTO VIEW _app_frame_to_surface_flinger_frame AS
SELECT app.surface_frame_token AS app_surface_frame_token, sf.ts AS surface_flinger_ts,
  sf.dur AS surface_flinger_dur, app.ts AS app_ts, app.present_type, app.upid
FROM actual_frame_timeline_slice AS sf
JOIN actual_frame_timeline_slice AS app
  ON app.display_frame_token = sf.display_frame_token AND app.id <> sf.id
WHERE sf.surface_frame_token IS NULL AND app.present_type <> 'Dropped Frame';

-- When the first frame after an event that was not dropped was on the screen.
CREATE PERFETTO VIEW _first_non_dropped_frame_after_input AS
SELECT reading.input_event_id, reading.read_time, (
    SELECT surface_flinger_ts + surface_flinger_dur
    FROM _app_frame_to_surface_flinger_frame AS shown
    WHERE shown.app_ts >= handled.frame_ts AND shown.upid = handled.upid
    LIMIT 1
  ) AS present_time,
  handled.frame_id, sent.event_seq, handled.event_action, handled.event_time,
  handled.is_speculative_match
FROM _event_seq_to_input_event_id AS sent
JOIN _input_read_time AS reading ON reading.input_event_id = sent.input_event_id
LEFT JOIN _input_event_id_to_android_frame AS handled
  ON handled.input_event_id = sent.input_event_id AND handled.event_channel = sent.event_channel;
