-- Power curves of CPUs whose power depends on their own frequency only, as the user has them.

CREATE PERFETTO TABLE _device_curves_1d AS
SELECT * FROM __intrinsic_wattson_curves_cpu_1d();
