#ifndef UNIT
#define UNIT "kWh"
#endif
#ifndef DIGITS
#define DIGITS 2
#endif
