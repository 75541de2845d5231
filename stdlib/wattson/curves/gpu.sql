-- Power curves of GPUs, as the user has them.

CREATE PERFETTO TABLE _gpu_device_curves AS
SELECT * FROM __intrinsic_wattson_curves_gpu();
