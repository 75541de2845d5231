-- The threads of apps that draw.

CREATE PERFETTO VIEW _render_thread_per_process AS
SELECT upid, utid AS render_thread_utid FROM thread WHERE name = 'RenderThread';
