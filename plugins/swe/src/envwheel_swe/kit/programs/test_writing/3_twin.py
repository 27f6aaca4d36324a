import functools
import operator as op
import string

_WORD = set(string.ascii_letters + string.digits)
_DIGITS = set(string.digits)


def _number(text):
    if not text or set(text) - _DIGITS or (text[0] == "0" and text != "0"):
        raise ValueError(text)
    return int(text)


def parse(text):
    numbers, dash, tag = text.partition("-")
    pieces = numbers.split(".")
    if len(pieces) != 3:
        raise ValueError(text)
    if dash and not all(word and set(word) <= _WORD for word in tag.split(".")):
        raise ValueError(text)
    return (*map(_number, pieces), tag)


def _words(left, right):
    for one, two in zip(left, right, strict=False):
        if one == two:
            continue
        digits = (set(one) <= _DIGITS, set(two) <= _DIGITS)
        if digits == (True, True):
            if int(one) != int(two):
                return -1 if int(one) < int(two) else 1
        elif True in digits:
            return -1 if digits[0] else 1
        else:
            return -1 if one < two else 1
    return (len(left) > len(right)) - (len(left) < len(right))


def compare(left, right):
    first, second = parse(left), parse(right)
    for one, two in zip(first[:3], second[:3], strict=True):
        if one != two:
            return 1 if one > two else -1
    if "" in (first[3], second[3]):
        return (first[3] == "") - (second[3] == "")
    return _words(first[3].split("."), second[3].split("."))


_TESTS = {"==": op.eq, "!=": op.ne, "<=": op.le, ">=": op.ge, "<": op.lt, ">": op.gt}


def _one(version, condition):
    condition = condition.strip()
    if condition.startswith("^"):
        base = condition[1:].strip()
        low, have = parse(base), parse(version)
        same = have[0] == low[0] and (low[0] != 0 or have[1] == low[1])
        return compare(version, base) != -1 and same
    for sign, test in _TESTS.items():
        if condition.startswith(sign):
            return test(compare(version, condition[len(sign) :].strip()), 0)
    raise ValueError(condition)


def matches(version, wanted):
    found = [_one(version, condition) for condition in wanted.split(",")]
    return functools.reduce(lambda a, b: a and b, found)
