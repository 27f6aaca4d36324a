#include <stdio.h>

#include "report.h"

int main(void)
{
    struct total t = {0, 0};
    char unit[32];
    double x;

    while (scanf("%lf %31s", &x, unit) == 2)
        total_add(&t, x, unit);
    report(&t);
    return 0;
}
