-- The package that a uid belongs to.

CREATE PERFETTO FUNCTION android_package_lookup(uid LONG) RETURNS STRING
DELEGATES TO _intrinsic_package_lookup;
