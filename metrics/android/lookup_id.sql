-- _lookup_id(module, build_id): what Google's symbol server calls a module. Chrome's are known by
-- the form that Breakpad gives to the first 16 bytes of a build id: a GUID and its age.
CREATE OR REPLACE PERFETTO FUNCTION _lookup_id(module STRING, build_id STRING)
RETURNS STRING AS
SELECT iif(
  $module GLOB '*[lL]ib*chrome*.so*' AND length($build_id) >= 32,
  substr($build_id, 7, 2) || substr($build_id, 5, 2) || substr($build_id, 3, 2)
    || substr($build_id, 1, 2) || substr($build_id, 11, 2) || substr($build_id, 9, 2)
    || substr($build_id, 15, 2) || substr($build_id, 13, 2) || substr($build_id, 17, 16) || '0',
  $build_id);
