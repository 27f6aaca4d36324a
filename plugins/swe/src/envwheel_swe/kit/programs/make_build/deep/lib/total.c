#include "total.h"

#include <stddef.h>

void total_add(struct total *t, double x, const char *unit)
{
    const struct unit *found = find_unit(unit);

    if (found == NULL)
        t->unknown++;
    else
        t->sum += x * found->factor;
}
