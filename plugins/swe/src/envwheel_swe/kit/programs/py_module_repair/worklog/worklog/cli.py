"""The command line."""

import argparse
import json
import sys

from worklog import report
from worklog.clock import parse_zone
from worklog.entries import LogError, read_entries

COMMANDS = ("totals", "days", "tags", "share", "bill")


def build_parser():
    parser = argparse.ArgumentParser(prog="worklog")
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("log")
    parser.add_argument("--zone", default="+00:00")
    parser.add_argument("--rates")
    return parser


def load_rates(path):
    if path is None:
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main(argv):
    args = build_parser().parse_args(argv)
    zone = parse_zone(args.zone)
    rates = load_rates(args.rates)
    try:
        entries = list(read_entries(args.log))
    except LogError as error:
        print(error, file=sys.stderr)
        return 1
    makers = {
        "totals": lambda: report.totals(entries),
        "days": lambda: report.days(entries, zone),
        "tags": lambda: report.tags(entries),
        "share": lambda: report.share(entries),
        "bill": lambda: report.bill(entries, rates),
    }
    for row in makers[args.command]():
        print(*row, sep="\t")
    return 0
