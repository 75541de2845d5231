-- Power curves of CPUs whose power also depends on another frequency, as the user has them.

CREATE PERFETTO TABLE _device_curves_2d AS
SELECT * FROM __intrinsic_wattson_curves_cpu_2d();
