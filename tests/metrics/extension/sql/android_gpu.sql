CREATE OR REPLACE PERFETTO VIEW android_gpu_output AS SELECT AndroidGpuMetric('mem_max', 'much');
