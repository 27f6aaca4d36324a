#ifndef STATS_H
#define STATS_H

struct stats {
    long count;
    double sum, squares;
};

void stats_add(struct stats *s, double x);
double stats_mean(const struct stats *s);
double stats_deviation(const struct stats *s);

#endif
