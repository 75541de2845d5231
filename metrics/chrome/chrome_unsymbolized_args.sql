-- Addresses in arguments that have no symbols.
SELECT run_metric('android/lookup_id.sql');

-- A symbol is two arguments, PLACE.mapping_id and PLACE.rel_pc.
CREATE OR REPLACE PERFETTO TABLE _native_symbol AS
SELECT DISTINCT m.int_value AS mapping_id, p.int_value AS rel_pc
FROM args AS m
JOIN args AS p
  ON p.arg_set_id = m.arg_set_id
  AND p.key = substr(m.key, 1, length(m.key) - length('mapping_id')) || 'rel_pc'
WHERE m.key GLOB '*native_symbol*.mapping_id';

CREATE OR REPLACE PERFETTO VIEW chrome_unsymbolized_args_output AS
SELECT ChromeUnsymbolizedArgs(
  'args', (
    SELECT RepeatedField(ChromeUnsymbolizedArgs_Arg(
      'module', name,
      'build_id', build_id,
      'address', rel_pc,
      'google_lookup_id', _lookup_id(name, build_id)))
    FROM (
      SELECT m.name, m.build_id, s.rel_pc
      FROM _native_symbol AS s
      JOIN stack_profile_mapping AS m ON m.id = s.mapping_id
      LEFT JOIN stack_profile_frame AS f ON f.mapping = m.id AND f.rel_pc = s.rel_pc
      WHERE m.build_id != '' AND f.symbol_set_id IS NULL
      ORDER BY m.id DESC, s.rel_pc
    )
  )
) AS message;
