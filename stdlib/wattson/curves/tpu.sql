-- Power curves of TPUs, as the user has them.

CREATE PERFETTO TABLE _tpu_device_curves AS
SELECT * FROM __intrinsic_wattson_curves_tpu();
