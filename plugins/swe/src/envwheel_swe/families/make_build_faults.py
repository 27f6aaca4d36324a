"""The faults that make_build plants in a working Makefile, and in one header."""

from __future__ import annotations

import random
from collections.abc import Sequence

from envwheel_swe.repair import Fault

DEPENDENCIES = (
    Fault("config_header", "Makefile",
          "main.o: main.c stats.h report.h config.h\nreport.o: report.c stats.h report.h config.h version.h",
          "main.o: main.c stats.h report.h\nreport.o: report.c stats.h report.h version.h",
          "after a change of config.h `make` says that there is nothing to do",
          half="main.o: main.c stats.h report.h\nreport.o: report.c stats.h report.h config.h version.h",
          other="main.o report.o: stats.h report.h config.h\nmain.o: main.c\nreport.o: report.c version.h"),
    Fault("stats_header", "Makefile",
          "main.o: main.c stats.h report.h config.h\nreport.o: report.c stats.h report.h",
          "main.o: main.c report.h config.h\nreport.o: report.c report.h",
          "after a change of stats.h only some of the objects are compiled again",
          half="main.o: main.c stats.h report.h config.h\nreport.o: report.c report.h"),
    Fault("library", "Makefile", "meter: $(OBJECTS) libstats.a", "meter: $(OBJECTS) | libstats.a",
          "after a change of stats.c the program still computes as before",
          other="meter: libstats.a $(OBJECTS)"),
    Fault("version", "Makefile", "version.h: VERSION mkversion.sh", "version.h: mkversion.sh",
          "after a change of VERSION the program still prints the old version",
          half="version.h: VERSION", other="version.h: mkversion.sh VERSION"),
)  # fmt: skip
LINKING = (
    Fault("order", "Makefile", "-o $@ $(OBJECTS) libstats.a $(LDLIBS)", "-o $@ libstats.a $(OBJECTS) $(LDLIBS)",
          "the linker does not find functions that are in stats.c",
          other="-o $@ $(OBJECTS) -L. -lstats $(LDLIBS)"),
    Fault("mathematics", "Makefile", "LDLIBS = -lm", "LDLIBS =", "the linker does not find `sqrt`"),
    Fault("twice_defined", "report.h", "extern int digits;", "int digits;", "`digits` is defined more than once"),
    Fault("archive", "Makefile", "$(AR) rcs $@ stats.o", "$(AR) rcs $@ stats.c",
          "the linker says something about libstats.a",
          other="ar -rcs $@ stats.o"),
    Fault("compiled_only", "Makefile", "$(CFLAGS) -c -o $@ $<", "$(CFLAGS) -o $@ $<",
          "building an object ends with an undefined reference to `main`"),
)  # fmt: skip
GOALS = (
    Fault("race", "Makefile", "config.h version.h", "config.h",
          "`make -j8` in a fresh copy sometimes fails, `make meter` always"),
    Fault("prefix", "Makefile", "BINDIR = $(PREFIX)/bin", "BINDIR = /usr/local/bin",
          "`make install` does not care about PREFIX"),
    Fault("destdir", "Makefile",
          "mkdir -p $(DESTDIR)$(BINDIR)\n\tinstall -m 755 meter $(DESTDIR)$(BINDIR)/meter",
          "mkdir -p $(BINDIR)\n\tinstall -m 755 meter $(BINDIR)/meter",
          "packagers say that `make install` writes outside of their DESTDIR",
          half="mkdir -p $(DESTDIR)$(BINDIR)\n\tinstall -m 755 meter $(BINDIR)/meter"),
    Fault("phony", "Makefile", ".PHONY: all check install clean", ".PHONY: all install clean",
          "`make check` says that `check` is up to date"),
    Fault("ignored", "Makefile", "\tsh check/run.sh ./meter", "\t-sh check/run.sh ./meter",
          "`make check` ends well even when the check fails",
          half="\tsh check/run.sh ./meter || echo the check has failed"),
    Fault("unclean", "Makefile", "*.o version.h", "*.o", "`make clean` leaves a file behind", half="*.o *.h"),
    Fault("flags", "Makefile", "$(CC) $(CPPFLAGS) $(CFLAGS) -c", "gcc -O1 -Wall -c",
          "flags given on the command line change nothing",
          half="$(CC) $(CFLAGS) -c"),
)  # fmt: skip


def choose(draw: random.Random, level: int, working: dict[str, str]) -> list[Fault]:
    """One dependency at level 1; two of linking with it at level 2; four of the goals with it at level 3."""
    chosen = [draw.choice(DEPENDENCIES)]
    table: Sequence[Fault] = {1: (), 2: LINKING, 3: GOALS}[level]
    for fault in draw.sample(table, len(table)):
        if len(chosen) < (1, 1, 3, 5)[level] and all(_apart(fault, other, working) for other in chosen):
            chosen.append(fault)
    return chosen


def _apart(one: Fault, other: Fault, working: dict[str, str]) -> bool:
    """Whether two faults concern different places."""
    if one.path != other.path:
        return True
    (a, b), (c, d) = (_span(fault, working[fault.path]) for fault in (one, other))
    return b <= c or d <= a


def _span(fault: Fault, text: str) -> tuple[int, int]:
    start = text.index(fault.right)
    return start, start + len(fault.right)
