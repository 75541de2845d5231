-- What the stages of an EventLatency are.

-- Each stage, in no special order.
CREATE PERFETTO TABLE chrome_event_latency_stage_descriptions(
  -- Name of the stage's slice.
  name STRING,
  -- What happens, or is waited for, meanwhile.
  description STRING
) AS
SELECT column1 AS name, column2 AS description
FROM (VALUES
  ('TouchRendererHandlingToBrowserMain',
    'From the page having handled a touch that it may block to the browser''s main thread '
    || 'going on with it.'),
  ('GenerationToBrowserMain',
    'From the time that the system gives the input to the browser''s main thread starting on'
    || ' it.'),
  ('GenerationToRendererCompositor',
    'From the time that the system gives the input to the renderer''s compositor starting on'
    || ' the press that the browser adds to a beginning scroll.'),
  ('BrowserMainToRendererCompositor',
    'From the browser''s main thread starting on the input to the renderer''s compositor '
    || 'starting on it: work, and waiting in the queues of threads between.'),
  ('RendererCompositorQueueingDelay',
    'The input waits in the renderer''s compositor for the frame that will contain it.'),
  ('RendererCompositorToMain',
    'From the compositor''s end of work to the renderer''s main thread starting: only where '
    || 'the compositor cannot scroll alone, mostly because of event listeners or of the page''s'
    || ' layout.'),
  ('RendererCompositorProcessing',
    'The renderer''s compositor works on the update.'),
  ('RendererMainProcessing',
    'The renderer''s main thread works on the update.'),
  ('EndActivateToSubmitCompositorFrame',
    'The renderer''s compositor waits for the GPU before it can submit a frame.'),
  ('SubmitCompositorFrameToPresentationCompositorFrame',
    'From the renderer''s frame being submitted to the display showing it. Some systems do '
    || 'not tell when that is.'),
  ('ArrivedInRendererCompositorToTermination',
    'From the compositor receiving the input to the input being dropped or made part of '
    || 'another frame.'),
  ('RendererCompositorStartedToTermination',
    'From the compositor starting on the input to the input being dropped or made part of '
    || 'another frame.'),
  ('RendererMainFinishedToTermination',
    'From the main thread''s end of work to the input being dropped or made part of another '
    || 'frame.'),
  ('RendererCompositorFinishedToTermination',
    'From the compositor''s end of work to the input being dropped or made part of another '
    || 'frame.'),
  ('RendererMainStartedToTermination',
    'From the main thread starting on the input to the input being dropped or made part of '
    || 'another frame.'),
  ('RendererCompositorFinishedToBeginImplFrame',
    'The compositor made no frame, for instance because it waits for the main thread, and '
    || 'waits for the next one to begin.'),
  ('RendererCompositorFinishedToCommit',
    'From the compositor''s end of work to the main thread starting to commit.'),
  ('RendererCompositorFinishedToEndCommit',
    'From the compositor''s end of work to the main thread having committed.'),
  ('RendererCompositorFinishedToActivation',
    'From the compositor''s end of work to activation, without a commit before it.'),
  ('RendererCompositorFinishedToEndActivate',
    'From the compositor''s end of work to the end of activation.'),
  ('RendererCompositorFinishedToSubmitCompositorFrame',
    'From the compositor''s end of work to it submitting the frame, where nothing has to be '
    || 'committed or activated.'),
  ('RendererMainFinishedToBeginImplFrame',
    'The main thread is done, and the compositor waits for a frame to begin.'),
  ('RendererMainFinishedToSendBeginMainFrame',
    'The main thread is done and waits for the next frame that it takes part in.'),
  ('RendererMainFinishedToCommit',
    'The main thread is done and waits to commit.'),
  ('BeginImplFrameToSendBeginMainFrame',
    'From the compositor beginning a frame to it telling the main thread.'),
  ('RendererCompositorFinishedToSendBeginMainFrame',
    'The compositor is done, expects work of the main thread, and waits for a frame to '
    || 'begin.'),
  ('SendBeginMainFrameToCommit',
    'The main thread makes its part of the frame: input, animations, styles and layout.'),
  ('Commit',
    'The main thread copies its layers to the compositor and does nothing else meanwhile.'),
  ('EndCommitToActivation',
    'The commit is there and waits for activation.'),
  ('Activation',
    'The layers that were committed become those that are drawn.'),
  ('SubmitToReceiveCompositorFrame',
    'From the renderer sending the frame to the GPU process receiving it.'),
  ('ReceiveCompositorFrameToStartDraw',
    'The frame waits for those of other surfaces, until they come or it is too late for '
    || 'them.'),
  ('StartDrawToSwapStart',
    'All surfaces'' frames are put together and drawn, until the buffers are swapped.'),
  ('SwapStartToBufferAvailable',
    'The system prepares the buffer that Chrome may write to.'),
  ('BufferAvailableToBufferReady',
    'Chrome writes the frame to the buffer.'),
  ('BufferReadyToLatch',
    'The buffer waits for the system to take it.'),
  ('LatchToSwapEnd',
    'The system took the buffer and queues it for the display.'),
  ('SwapEndToPresentationCompositorFrame',
    'The frame waits for the display to show it.'));
