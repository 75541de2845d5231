-- Names of classes in dumps of Android's views, by the package whose views these are.
CREATE OR REPLACE PERFETTO VIEW chrome_args_class_names_output AS
SELECT ChromeArgsClassNames(
  'class_names_per_version', (
    SELECT RepeatedField(ChromeArgsClassNames_ChromeArgsClassNamesPerVersion(
      'package_name', package_name, 'version_code', version_code, 'class_name', names))
    FROM (
      SELECT package_name, version_code, RepeatedField(class_name) AS names
      FROM (
        SELECT DISTINCT l.package_name, l.version_code, a.string_value AS class_name
        FROM slice AS s
        JOIN args AS a USING (arg_set_id)
        LEFT JOIN thread_track AS t ON t.id = s.track_id
        LEFT JOIN thread USING (utid)
        LEFT JOIN process AS p USING (upid)
        LEFT JOIN package_list AS l ON l.uid = p.uid
        WHERE a.flat_key = 'android_view_dump.activity.view.class_name'
        ORDER BY a.string_value
      )
      GROUP BY package_name, version_code
    )
  )
) AS message;
