#include <stdio.h>

#include "report.h"
#include "stats.h"

int main(void)
{
    struct stats s = {0};
    double x;

    while (scanf("%lf", &x) == 1)
        stats_add(&s, x);
    report(&s);
    return 0;
}
