#include <math.h>

#include "stats.h"

void stats_add(struct stats *s, double x)
{
    s->count++;
    s->sum += x;
    s->squares += x * x;
}

double stats_mean(const struct stats *s)
{
    return s->count ? s->sum / s->count : 0;
}

double stats_deviation(const struct stats *s)
{
    double mean = stats_mean(s);
    double rest = s->count ? s->squares / s->count - mean * mean : 0;

    return rest > 0 ? sqrt(rest) : 0;
}
