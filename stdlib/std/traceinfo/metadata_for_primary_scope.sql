-- One value for each name of metadata: of the first trace, of its first machine.

CREATE PERFETTO TABLE _metadata_for_primary_scope(
  -- Name of the metadata.
  name STRING,
  -- Its text.
  str_value STRING,
  -- Its number.
  int_value LONG,
  -- `single` or `multi`.
  key_type STRING
) AS
SELECT name, str_value, int_value, key_type
FROM (
  SELECT *, row_number() OVER (
    PARTITION BY name ORDER BY trace_id NULLS LAST, machine_id NULLS LAST) AS place
  FROM metadata
)
WHERE place = 1;
