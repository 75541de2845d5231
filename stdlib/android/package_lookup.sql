-- The package that a uid belongs to.

-- The package that a uid belongs to.
CREATE PERFETTO FUNCTION android_package_lookup(
  -- The uid, of any user.
  uid LONG
)
-- Name of the package, or what Android calls the uid (`AID_RADIO`), or `uid=` and the number.
RETURNS STRING
DELEGATES TO _intrinsic_package_lookup;
