-- _boot_end(): when Android had started; before the trace where it did not start in it.
CREATE OR REPLACE PERFETTO FUNCTION _boot_end()
RETURNS LONG AS
SELECT ifnull(min(ts), -1) FROM slice
WHERE name GLOB 'broadcast*android.intent.action.USER_UNLOCKED*'
  OR name GLOB '*OnBootPhase_1000*';
