-- Hashes of the names of the studies whose triggers Chrome saw, as far as the trace does not name them.
CREATE OR REPLACE PERFETTO VIEW chrome_study_hashes_output AS
SELECT ChromeStudyHashes(
  'hash', (
    SELECT RepeatedField(int_value)
    FROM (
      SELECT a.int_value FROM slice AS s JOIN args AS a USING (arg_set_id)
      WHERE a.key = 'chrome_trigger.name_hash' AND a.int_value IS NOT NULL
      ORDER BY s.id
    )
  )
) AS message;
