-- The code names of the devices that were recorded.

CREATE PERFETTO FUNCTION android_device_name_from_fingerprint(fingerprint STRING)
RETURNS STRING AS
SELECT regexp_extract($fingerprint, '^[^/]*/[^/]*/([^/:]*)');

CREATE PERFETTO TABLE android_device_name(name STRING, machine_id JOINID(machine.id)) AS
SELECT android_device_name_from_fingerprint(android_build_fingerprint) AS name, id AS machine_id
FROM machine
WHERE android_build_fingerprint IS NOT NULL;
