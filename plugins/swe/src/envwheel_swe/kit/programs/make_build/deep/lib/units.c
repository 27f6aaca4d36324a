#include "units.h"

#include <string.h>

#include "table.h"

const struct unit *find_unit(const char *name)
{
    for (int i = 0; i < TABLE_SIZE; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}
