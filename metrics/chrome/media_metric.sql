-- How media played in Chrome's pages. Players are told apart by their process and the number that their events carry.

-- What players say of themselves.
CREATE OR REPLACE PERFETTO TABLE _media_event AS
SELECT
  s.name,
  s.ts,
  th.upid,
  th.name AS thread_name,
  extract_arg(s.arg_set_id, 'debug.id') AS player,
  s.arg_set_id
FROM slice AS s
JOIN thread_track AS t ON t.id = s.track_id
JOIN thread AS th USING (utid)
WHERE s.name IN (
  'WebMediaPlayerImpl::DoLoad', 'WebMediaPlayerImpl::DoSeek', 'WebMediaPlayerImpl::OnPipelineSeeked',
  'WebMediaPlayerImpl::BufferingHaveEnough', 'WebMediaPlayerImpl::OnEnded',
  'VideoRendererImpl::Render', 'AudioRendererImpl::Render',
  'VideoFramesDropped', 'VideoPlaybackRoughness', 'VideoPlaybackFreezing');

-- Each load of a player, with what came of it.
CREATE OR REPLACE PERFETTO TABLE _media_playback AS
SELECT
  p.player,
  p.upid,
  p.ts AS load_ts,
  min(iif(e.name = 'VideoRendererImpl::Render', e.ts, NULL)) AS video_ts,
  min(iif(e.name = 'AudioRendererImpl::Render', e.ts, NULL)) AS audio_ts,
  min(iif(e.name = 'WebMediaPlayerImpl::OnEnded', e.ts, NULL)) AS end_ts,
  max(iif(e.name = 'VideoPlaybackRoughness', extract_arg(e.arg_set_id, 'debug.roughness'), NULL))
    AS roughness,
  max(iif(e.name = 'VideoPlaybackFreezing', extract_arg(e.arg_set_id, 'debug.freezing'), NULL))
    AS freezing,
  sum(iif(e.name = 'VideoFramesDropped', extract_arg(e.arg_set_id, 'debug.count'), NULL)) AS dropped
FROM _media_event AS p
LEFT JOIN _media_event AS e ON e.player = p.player AND e.upid = p.upid
WHERE p.name = 'WebMediaPlayerImpl::DoLoad' AND p.thread_name = 'CrRendererMain'
GROUP BY p.player, p.ts, p.upid
ORDER BY p.player, p.ts, p.upid;

-- Where a playback was sought; what comes of it comes before the next place is sought.
CREATE OR REPLACE PERFETTO TABLE _media_seek AS
SELECT
  p.player,
  p.upid,
  e.ts,
  extract_arg(e.arg_set_id, 'debug.target') AS target,
  lead(e.ts, 1, trace_end() + 1) OVER (PARTITION BY p.player, p.upid ORDER BY e.ts) AS next_ts
FROM _media_playback AS p
JOIN _media_event AS e USING (player, upid)
WHERE e.name = 'WebMediaPlayerImpl::DoSeek';

CREATE OR REPLACE PERFETTO TABLE _media_pipeline_seek AS
SELECT s.player, s.upid, s.ts, s.next_ts, min(e.ts) AS pipeline_ts
FROM _media_seek AS s
JOIN _media_event AS e
  ON e.name = 'WebMediaPlayerImpl::OnPipelineSeeked'
  AND e.player = s.player AND e.upid = s.upid AND e.ts >= s.ts AND e.ts < s.next_ts
  AND extract_arg(e.arg_set_id, 'debug.target') = s.target
GROUP BY s.player, s.upid, s.ts;

CREATE OR REPLACE PERFETTO TABLE _media_finished_seek AS
SELECT s.player, s.upid, s.ts, s.pipeline_ts, min(e.ts) AS buffered_ts
FROM _media_pipeline_seek AS s
JOIN _media_event AS e
  ON e.name = 'WebMediaPlayerImpl::BufferingHaveEnough'
  AND e.player = s.player AND e.upid = s.upid AND e.ts >= s.pipeline_ts AND e.ts < s.next_ts
GROUP BY s.player, s.upid, s.ts;

-- By how much playing took longer than what was played; where somebody sought nothing can be said.
CREATE OR REPLACE PERFETTO TABLE _media_wait AS
SELECT
  p.end_ts - coalesce(p.video_ts, p.audio_ts)
    - extract_arg(e.arg_set_id, 'debug.duration') * 1e9 AS ns
FROM _media_playback AS p
JOIN _media_event AS e
  ON e.name = 'WebMediaPlayerImpl::OnEnded'
  AND e.ts = p.end_ts AND e.player = p.player AND e.upid = p.upid
WHERE coalesce(p.video_ts, p.audio_ts) IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM _media_seek AS s WHERE s.player = p.player);

CREATE OR REPLACE PERFETTO VIEW media_metric_output AS
SELECT MediaMetric(
  'time_to_video_play', (
    SELECT RepeatedField((video_ts - load_ts) / 1e6) FROM _media_playback
    WHERE video_ts IS NOT NULL
  ),
  'time_to_audio_play', (
    SELECT RepeatedField((audio_ts - load_ts) / 1e6) FROM _media_playback
    WHERE audio_ts IS NOT NULL
  ),
  'dropped_frame_count', (
    SELECT RepeatedField(CAST(ifnull(dropped, 0) AS INTEGER)) FROM _media_playback
    WHERE video_ts IS NOT NULL
  ),
  'buffering_time', (SELECT RepeatedField(ns / 1e6) FROM _media_wait WHERE ns IS NOT NULL),
  'roughness', (
    SELECT RepeatedField(roughness / 1e0) FROM _media_playback WHERE roughness IS NOT NULL
  ),
  'freezing', (
    SELECT RepeatedField(freezing / 1e0) FROM _media_playback WHERE freezing IS NOT NULL
  ),
  'seek_time', (SELECT RepeatedField((buffered_ts - ts) / 1e6) FROM _media_finished_seek),
  'pipeline_seek_time', (
    SELECT RepeatedField((pipeline_ts - ts) / 1e6) FROM _media_finished_seek
  )
) AS message;
