-- The names of all slices.
CREATE OR REPLACE PERFETTO VIEW chrome_slice_names_output AS
SELECT ChromeSliceNames(
  'chrome_version_code', (
    SELECT RepeatedField(int_value) FROM metadata WHERE name GLOB 'cr-*playstore_version_code'
  ),
  'slice_name', (
    SELECT RepeatedField(name)
    FROM (SELECT name FROM slice WHERE name IS NOT NULL GROUP BY name ORDER BY min(id))
  )
) AS message;
