#ifndef REPORT_H
#define REPORT_H

#include "total.h"

void report(const struct total *t);

#endif
