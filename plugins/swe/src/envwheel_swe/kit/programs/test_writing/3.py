"""Version numbers and ranges."""

import re

_VERSION = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(?:-([0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*))?")


def parse(text):
    """(major, minor, patch, tag) of a version such as "1.20.3" or "1.20.3-rc.1"; tag is "" when there is none.

    Numbers have no leading zeros; a tag is made of words of ASCII letters and digits with points between them. Anything
    else, blanks around it too, is a ValueError.
    """
    match = _VERSION.fullmatch(text)
    if not match:
        raise ValueError(f"no version: {text!r}")
    return int(match[1]), int(match[2]), int(match[3]), match[4] or ""


def compare(left, right):
    """-1, 0 or 1: how two versions (texts) are ordered.

    Numbers decide first, as numbers. With equal numbers a version without a tag is above one with a tag; tags are
    compared word by word: words of digits as numbers, others as texts, a word of digits is below any other word; when all
    words of the shorter tag are equal, the shorter tag is below.
    """
    a, b = parse(left), parse(right)
    if a[:3] != b[:3]:
        return -1 if a[:3] < b[:3] else 1
    if a[3] == b[3]:
        return 0
    if not a[3] or not b[3]:
        return 1 if not a[3] else -1
    one, two = _tag_key(a[3]), _tag_key(b[3])
    if one == two:
        return 0
    return -1 if one < two else 1


def _tag_key(tag):
    return [(0, int(word), "") if word.isdigit() else (1, 0, word) for word in tag.split(".")]


def matches(version, wanted):
    """Whether a version fits `wanted`: conditions with "," between them, all of which must hold.

    A condition is one of "==", "!=", "<", "<=", ">", ">=" and a version, or "^" and a version: at least that version and
    with the same major number (for major 0: the same minor number too). Blanks around a condition do not count. An empty
    condition, or one without an operator, is a ValueError.
    """
    return all([_holds(version, condition.strip()) for condition in wanted.split(",")])


def _holds(version, condition):
    match = re.fullmatch(r"(==|!=|<=|>=|<|>|\^)(.*)", condition)
    if not match:
        raise ValueError(f"no condition: {condition!r}")
    operator, other = match[1], match[2].strip()
    order = compare(version, other)
    if operator == "^":
        fixed = 2 if parse(other)[0] == 0 else 1
        return order >= 0 and parse(version)[:fixed] == parse(other)[:fixed]
    return {"==": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[
        operator
    ]
