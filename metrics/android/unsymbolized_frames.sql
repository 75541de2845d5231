-- Addresses in callstacks that have no symbols.
SELECT run_metric('android/lookup_id.sql');

CREATE OR REPLACE PERFETTO VIEW unsymbolized_frames_output AS
SELECT UnsymbolizedFrames(
  'frames', (
    SELECT RepeatedField(UnsymbolizedFrames_Frame(
      'module', name,
      'build_id', build_id,
      'address', rel_pc,
      'google_lookup_id', _lookup_id(name, build_id)))
    FROM (
      SELECT DISTINCT m.id, m.name, m.build_id, f.rel_pc
      FROM stack_profile_frame AS f
      JOIN stack_profile_mapping AS m ON m.id = f.mapping
      WHERE m.build_id != '' AND f.symbol_set_id IS NULL
      ORDER BY m.id, f.rel_pc
    )
  )
) AS message;
