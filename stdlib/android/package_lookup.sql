-- The package that a uid belongs to.

-- The package that a uid belongs to.
CREATE PERFETTO FUNCTION android_package_lookup(
  -- The uid, of any user.
  uid LONG
)
-- Name of the package, for system uids of the service; NULL if not known.
RETURNS STRING
DELEGATES TO _intrinsic_package_lookup;
