#ifndef UNITS_H
#define UNITS_H

struct unit {
    const char *name;
    double factor;
};

/* The unit called `name`; NULL when there is none. */
const struct unit *find_unit(const char *name);

#endif
