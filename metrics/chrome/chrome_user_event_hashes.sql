-- Hashes of what users did in Chrome.
CREATE OR REPLACE PERFETTO VIEW chrome_user_event_hashes_output AS
SELECT ChromeUserEventHashes(
  'action_hash', (
    SELECT RepeatedField(int_value)
    FROM (
      SELECT a.int_value FROM slice AS s JOIN args AS a USING (arg_set_id)
      WHERE a.key = 'chrome_user_event.action_hash' AND a.int_value IS NOT NULL
      ORDER BY s.id
    )
  )
) AS message;
