CREATE OR REPLACE PERFETTO VIEW android_anr_output AS SELECT AndroidLmkMetric('total_count', 1);
