"""runner.py FOLDER: run the tests of FOLDER/tests against the package in FOLDER; the job comes on standard input as JSON.

The job is {"secret", "modules", "skip"}. The last line of standard output is the secret and, as JSON, the outcome ("ok",
"failed" or "skipped") of every test by its id. unittest classes and plain functions test_* are run.
"""

import importlib
import json
import os
import sys
import unittest

JOB = json.load(sys.stdin)
OUT = os.dup(1)
os.dup2(2, 1)  # what the tested code prints goes elsewhere


class Outcomes(unittest.TestResult):
    """Outcome by test id; a failing sub-test fails its test."""

    def __init__(self):
        super().__init__()
        self.found = {}

    def stopTest(self, test):
        super().stopTest(test)
        self.found.setdefault(name(test), "ok")

    def addFailure(self, test, err):
        self.found[name(test)] = "failed"

    def addError(self, test, err):
        self.found[name(test)] = "failed"

    def addUnexpectedSuccess(self, test):
        self.found[name(test)] = "failed"

    def addSkip(self, test, reason):
        self.found[name(test)] = "skipped"

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.found[name(test)] = "failed"


def name(test):
    return getattr(test, "wanted_id", None) or test.id().removeprefix("tests.")


def tests_of(module):
    """The tests of a module, one after the other."""
    stack = [unittest.defaultTestLoader.loadTestsFromModule(module)]
    while stack:
        item = stack.pop(0)
        if isinstance(item, unittest.TestSuite):
            stack = [*item, *stack]
        else:
            yield item
    for key, value in vars(module).items():
        plain = key.startswith("test") and callable(value) and not isinstance(value, type)
        if plain and value.__module__ == module.__name__ and value.__code__.co_argcount == 0:
            case = unittest.FunctionTestCase(value)
            case.wanted_id = f"{module.__name__.removeprefix('tests.')}.{key}"
            yield case


def main():
    sys.path.insert(0, sys.argv[1])
    outcomes = Outcomes()
    for module in JOB["modules"]:
        try:
            cases = list(tests_of(importlib.import_module("tests." + module)))
        except Exception:
            outcomes.found[module] = "failed"
            continue
        for case in cases:
            if name(case) not in JOB["skip"]:
                case.run(outcomes)
    os.write(OUT, f"\n{JOB['secret']}{json.dumps(outcomes.found)}\n".encode())


main()
