-- Contexts that programs opened on a GPU.

-- Each context.
CREATE PERFETTO VIEW gpu_context(
  -- Id of the row.
  id ID,
  -- Id that the driver gave it.
  context_id LONG,
  -- Process id of its program.
  pid LONG,
  -- Interface of the context, as VULKAN.
  api STRING
) AS
SELECT id, context_id, pid, api
FROM __intrinsic_gpu_context;
