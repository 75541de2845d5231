-- Estimated power of the GPU, in mW.

INCLUDE PERFETTO MODULE wattson.curves.utils;
INCLUDE PERFETTO MODULE wattson.gpu.freq_idle;

CREATE PERFETTO TABLE _gpu_estimates_mw AS
SELECT g.ts, g.dur, c.curve_value AS gpu_mw
FROM _gpu_freq_idle AS g
JOIN _gpu_filtered_curves AS c ON c.freq_khz = g.freq AND c.idle = g.power_state
ORDER BY g.ts;
