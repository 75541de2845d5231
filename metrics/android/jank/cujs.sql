-- android_jank_cuj: user journeys that report their smoothness.
INCLUDE PERFETTO MODULE android.cujs.base;
