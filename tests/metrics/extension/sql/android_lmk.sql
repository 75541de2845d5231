CREATE OR REPLACE PERFETTO VIEW android_lmk_output AS
SELECT AndroidLmkMetric('total_count', 1) UNION ALL SELECT AndroidLmkMetric('total_count', 2);
