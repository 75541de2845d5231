-- Installed packages.
CREATE OR REPLACE PERFETTO VIEW android_package_list_output AS
SELECT AndroidPackageList(
  'packages', (
    SELECT RepeatedField(AndroidPackageList_Package(
      'package_name', package_name, 'uid', uid, 'version_code', version_code))
    FROM package_list
  )
) AS message;
