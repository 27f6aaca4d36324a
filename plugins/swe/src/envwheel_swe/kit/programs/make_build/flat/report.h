#ifndef REPORT_H
#define REPORT_H

#include "config.h"

struct stats;

extern int digits;

void report(const struct stats *s);

#endif
