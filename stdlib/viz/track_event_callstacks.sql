-- Callstacks of track events, for drawing them.

CREATE PERFETTO TABLE _track_event_tracks_with_callstacks AS
SELECT DISTINCT track_id FROM __intrinsic_track_event_callstacks;
