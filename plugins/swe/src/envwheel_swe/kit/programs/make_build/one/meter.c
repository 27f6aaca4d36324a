#include <math.h>
#include <stdio.h>

int main(void)
{
    double x, sum = 0;

    while (scanf("%lf", &x) == 1)
        sum += sqrt(x);
    printf("%.3f\n", sum);
    return 0;
}
