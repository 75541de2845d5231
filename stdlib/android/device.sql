-- The code names of the devices that were recorded.

-- The device's name, taken from a build fingerprint.
CREATE PERFETTO FUNCTION android_device_name_from_fingerprint(
  -- The fingerprint: `brand/product/device:version/...`.
  fingerprint STRING
)
-- Its third part, up to the colon; NULL if it has none.
RETURNS STRING AS
SELECT regexp_extract($fingerprint, '^[^/]*/[^/]*/([^/:]*)');

-- One row per machine of the trace that told its build fingerprint.
CREATE PERFETTO TABLE android_device_name(
  -- Code name of the device.
  name STRING,
  -- The machine.
  machine_id JOINID(machine.id)
) AS
SELECT android_device_name_from_fingerprint(android_build_fingerprint) AS name, id AS machine_id
FROM machine
WHERE android_build_fingerprint IS NOT NULL;
