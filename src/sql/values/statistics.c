#include "sql/values/statistics.h"

#include <math.h>

/* Welford's algorithm: nothing large is subtracted from something large. */
void moments_add(struct moments *m, double x, double y)
{
    double from_x = x - m->mean_x, from_y = y - m->mean_y;
    m->count++;
    m->mean_x += from_x / m->count;
    m->mean_y += from_y / m->count;
    m->xx += from_x * (x - m->mean_x);
    m->yy += from_y * (y - m->mean_y);
    m->xy += from_x * (y - m->mean_y);
}

void moments_remove(struct moments *m, double x, double y)
{
    if (m->count <= 1) {
        *m = (struct moments){0};
        return;
    }
    double from_x = x - m->mean_x, from_y = y - m->mean_y;
    m->count--;
    m->mean_x -= from_x / m->count;
    m->mean_y -= from_y / m->count;
    m->xx -= from_x * (x - m->mean_x);
    m->yy -= from_y * (y - m->mean_y);
    m->xy -= from_x * (y - m->mean_y);
}

double statistic_variance(const struct moments *m)
{
    return m->count > 1 ? m->xx / (m->count - 1) : NAN;
}

double statistic_stddev(const struct moments *m)
{
    return sqrt(statistic_variance(m));
}

double statistic_covar(const struct moments *m)
{
    return m->count > 1 ? m->xy / (m->count - 1) : NAN;
}

double statistic_corr(const struct moments *m)
{
    return m->count > 1 ? m->xy / sqrt(m->xx * m->yy) : NAN;
}

#define ROW(name, arguments) {#name, arguments, statistic_##name},
static const struct statistic statistics[] = {STATISTICS(ROW)};

const struct statistic *statistic_find(struct str name)
{
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
        if (str_eq_any_case(name, str_from(statistics[i].name)))
            return &statistics[i];
    return NULL;
}
