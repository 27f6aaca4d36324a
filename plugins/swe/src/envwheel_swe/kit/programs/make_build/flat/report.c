#include <stdio.h>

#include "report.h"
#include "stats.h"
#include "version.h"

int digits = DIGITS;

void report(const struct stats *s)
{
    printf("meter %s\n", VERSION);
    printf("count %ld\n", s->count);
    printf("mean %.*f %s\n", digits, stats_mean(s), UNIT);
    printf("deviation %.*f %s\n", digits, stats_deviation(s), UNIT);
}
