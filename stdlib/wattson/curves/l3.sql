-- Power curves of accesses of the last level of cache, as the user has them.

CREATE PERFETTO TABLE _device_curves_l3 AS
SELECT * FROM __intrinsic_wattson_curves_l3();
