#ifndef TOTAL_H
#define TOTAL_H

#include "units.h"

struct total {
    double sum;
    int unknown;
};

void total_add(struct total *t, double x, const char *unit);

#endif
