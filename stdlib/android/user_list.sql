-- The users of the device.

-- One row per user.
CREATE PERFETTO VIEW android_user_list(
  -- Number of the user, as in process.android_user_id.
  android_user_id LONG,
  -- Type of the user, e.g. `android.os.usertype.full.SYSTEM`.
  type STRING
) AS
SELECT android_user_id, type
FROM __intrinsic_android_user_list;
