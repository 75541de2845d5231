-- Why stages of an EventLatency may take long, and where to look.

INCLUDE PERFETTO MODULE chrome.event_latency_description;

-- Each stage with each place to look at.
CREATE PERFETTO TABLE chrome_scroll_jank_cause_descriptions(
  -- Name of the stage's slice.
  event_latency_stage STRING,
  -- Type of the process to look at.
  cause_process STRING,
  -- Name of the thread to look at.
  cause_thread STRING,
  -- What to look for in that thread.
  cause_description STRING
) AS
SELECT column1 AS event_latency_stage, column2 AS cause_process, column3 AS cause_thread,
  column4 AS cause_description
FROM (VALUES
  ('GenerationToBrowserMain', 'Browser', 'CrBrowserMain',
    'The thread is busy with other tasks. See which ones run, whether they wait '
    || '(ScopedBlockingCall), and whether pages are loaded or Java''s Choreographer is slow.'),
  ('RendererCompositorQueueingDelay', 'Renderer', 'Compositor',
    'The compositor cannot make a frame, mostly because the main thread first has to say '
    || 'where a touch goes, or runs scripts.'),
  ('RendererCompositorQueueingDelay', 'GPU', 'VizCompositorThread',
    'No frame begins. See whether there was a fling: one input makes many, which end up in '
    || 'one frame.'),
  ('ReceiveCompositorFrameToStartDraw', 'GPU', 'VizCompositorThread',
    'The frame waits for frames of other surfaces, or the system holds the buffer.'),
  ('ReceiveCompositorFrameToStartDraw', 'GPU', 'CrGpuMain',
    'The thread is busy and does not release a buffer. If it is not, the system holds it.'),
  ('ReceiveCompositorFrameToStartDraw', 'Browser', 'CrBrowserMain',
    'The toolbar''s frame is late, because other tasks keep its thread busy.'),
  ('BufferReadyToLatch', 'GPU', 'VizCompositorThread',
    'The frame came too late for the system, which takes one buffer each time. Compare the '
    || 'stages before with those of the previous frame: if they took longer, Chrome was late, '
    || 'else the system.'),
  ('SwapEndToPresentationCompositorFrame', 'GPU', 'VizCompositorThread',
    'As for BufferReadyToLatch: the frame came too late for the system. Compare the stages '
    || 'before with those of the previous frame.'),
  ('SwapEndToPresentationCompositorFrame', 'GPU', 'CrGpuMain',
    'See whether there is a StartDrawToBufferAvailable: then the thread is busy or does not'
    || ' get a CPU. Look at surfaceflinger, too.'),
  ('SwapEndToPresentationCompositorFrame', 'GPU', 'surfaceflinger',
    'See whether there is a StartDrawToBufferAvailable: then surfaceflinger did not allow '
    || 'Chrome to write to the buffer.'));

-- All stages, with the places to look at where there are some.
CREATE PERFETTO VIEW chrome_scroll_jank_causes_with_event_latencies(
  -- Name of the stage's slice.
  name STRING,
  -- What happens, or is waited for, meanwhile.
  description STRING,
  -- Type of the process to look at.
  cause_process STRING,
  -- Name of the thread to look at.
  cause_thread STRING,
  -- What to look for in that thread.
  cause_description STRING
) AS
SELECT stage.name, stage.description, cause.cause_process, cause.cause_thread,
  cause.cause_description
FROM chrome_event_latency_stage_descriptions AS stage
LEFT JOIN chrome_scroll_jank_cause_descriptions AS cause
  ON cause.event_latency_stage = stage.name;
