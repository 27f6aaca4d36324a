"""The hidden faults of `test_writing`, and the texts that make its wrong solutions."""

from __future__ import annotations

from collections.abc import Mapping

Bugs = Mapping[str, tuple[str, str]]

BUGS: tuple[Bugs, ...] = (
    {
        "low_missing": ("        return low\n", "        return value\n"),
        "high_gives_low": ("        return high\n", "        return low\n"),
        "no_error": ('        raise ValueError("low is above high")\n', "        low, high = high, low\n"),
        "equal_refused": ("if low > high:", "if low >= high:"),
    },
    {
        "minute_boundary": ('("m", 60)', '("m", 61)'),
        "zero_empty": (' or "0s"', ""),
        "no_error": ('        raise ValueError("negative duration")\n', "        seconds = -seconds\n"),
        "zeros_shown": ("        if count:\n", "        if count or parts:\n"),
        "days_dropped": ("divmod(seconds, size)", "divmod(seconds % 8640000, size)"),
        "no_blanks": ('" ".join(parts)', '"".join(parts)'),
        "zero_refused": ("if seconds < 0:", "if seconds <= 0:"),
    },
    {
        "get_is_no_use": ("        value = self._values.pop(key)\n", "        return self._values[key]\n"),
        "put_again_is_no_use": ("        self._values.pop(key, None)\n", ""),
        "one_too_many": ("if len(self._values) > self.size:", "if len(self._values) > self.size + 1:"),
        "one_too_few": ("if len(self._values) > self.size:", "if len(self._values) >= self.size > 1:"),
        "drops_newest": (
            "next(iter(self._values))",
            "list(self._values)[-2] if self.size > 1 else next(iter(self._values))",
        ),
        "false_values": ("        if key not in self._values:\n", "        if not self._values.get(key):\n"),
        "default_ignored": ("            return default\n", "            return None\n"),
        "miss_is_stored": (
            "            return default\n",
            "            self.put(key, default)\n            return default\n",
        ),
        "contains_is_use": ("        return key in self._values\n", "        return self.get(key, self) is not self\n"),
        "zero_size": ("if size < 1:", "if size < 0:"),
        "newest_first": ("        return list(self._values)\n", "        return list(self._values)[::-1]\n"),
    },
    {
        "leading_zeros": (
            "(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)",
            "(0|[1-9][0-9]*)\\.([0-9]+)\\.(0|[1-9][0-9]*)",
        ),
        "end_of_line": ("_VERSION.fullmatch(text)", "re.match(_VERSION.pattern + '$', text)"),
        "open_end": ("_VERSION.fullmatch(text)", "_VERSION.match(text)"),
        "tag_above": ("return 1 if not a[3] else -1", "return -1 if not a[3] else 1"),
        "words_as_texts": ('(0, int(word), "") if word.isdigit() else (1, 0, word)', "(1, 0, word)"),
        "digits_above": ('(0, int(word), "") if word.isdigit()', '(2, int(word), "") if word.isdigit()'),
        "case_ignored": ("(1, 0, word) for", "(1, 0, word.lower()) for"),
        "first_word_only": ('tag.split(".")]', 'tag.split(".")[:1]]'),
        "numbers_as_texts": ("return -1 if a[:3] < b[:3] else 1", "return -1 if str(a[:3]) < str(b[:3]) else 1"),
        "any_condition": ("return all([", "return any(["),
        "stops_early": (
            '[_holds(version, condition.strip()) for condition in wanted.split(",")]',
            '_holds(version, condition.strip()) for condition in wanted.split(",")',
        ),
        "caret_zero": ("fixed = 2 if parse(other)[0] == 0 else 1", "fixed = 1"),
        "caret_minor": ("fixed = 2 if parse(other)[0] == 0 else 1", "fixed = 2"),
        "caret_no_floor": ("return order >= 0 and parse", "return parse"),
        "less_or_equal": ('"<": order < 0', '"<": order <= 0'),
        "blanks_refused": ("operator, other = match[1], match[2].strip()", "operator, other = match[1], match[2]"),
    },
    {
        "reopen_keeps": ("        if name in self._accounts:\n", "        if self._accounts.get(name, (0,))[0]:\n"),
        "negative_limit": ("if limit is not None and limit < 0:", "if limit is not None and limit < -1:"),
        "zero_limit": (
            "if balance < 0 or (limit is not None and balance > limit):",
            "if balance < 0 or (limit and balance > limit):",
        ),
        "limit_reached": ("balance > limit):", "balance >= limit):"),
        "empties_refused": ("if balance < 0 or", "if balance <= 0 or"),
        "half_transfer": (
            "            self.rollback()\n            raise\n",
            "            self.commit()\n            raise\n",
        ),
        "leaves_transaction": (
            "            self.rollback()\n            raise\n",
            "            self._accounts = dict(self._saved[-1])\n            raise\n",
        ),
        "true_is_one": ("isinstance(amount, bool) or not", "not"),
        "zero_amount": ("or amount <= 0:", "or amount < 0:"),
        "close_full": ("if self._find(name)[0] != 0:", "if self._find(name)[0] < 0:"),
        "shared_state": ("self._saved.append(dict(self._accounts))", "self._saved.append(self._accounts)"),
        "rollback_all": (
            '            raise BookError("no transaction")\n        self._accounts = self._saved.pop()\n',
            '            raise BookError("no transaction")\n        self._accounts = self._saved[0]\n'
            "        self._saved.clear()\n",
        ),
        "commit_all": (
            '            raise BookError("no transaction")\n        self._saved.pop()\n',
            '            raise BookError("no transaction")\n        self._saved.clear()\n',
        ),
        "free_rollback": (
            '        if not self._saved:\n            raise BookError("no transaction")\n'
            "        self._accounts = self._saved.pop()\n",
            "        if self._saved:\n            self._accounts = self._saved.pop()\n",
        ),
        "own_account_skipped": (
            "        self._find(target)\n",
            "        self._find(target)\n        if source == target:\n            return\n",
        ),
        "out_after_in": ('self._change(source, "out", amount, -1)', 'self._change(source, "withdraw", amount, -1)'),
        "newest_first": ("(*history, (kind, amount))", "((kind, amount), *history)"),
        "history_of_unknown": (
            "        return list(self._find(name)[2])\n",
            "        return list(self._accounts.get(name, (0, 0, ()))[2])\n",
        ),
    },
)

PARTIAL: tuple[tuple[str, str, str], ...] = (
    ("high_gives_low", "        self.assertEqual(clamp(12, 1, 9), 9)\n", ""),
    (
        "no_error",
        "            with self.assertRaises(ValueError):\n                short_duration(seconds)\n",
        "            str(seconds)\n",
    ),
    (
        "get_is_no_use",
        'self.assertEqual(cache.keys(), ["b", "c", "a"])\n\n    def test_put_again',
        "str(cache)\n\n    def test_put_again",
    ),
    ("any_condition", "    def test_several(self):\n", "    def several(self):\n"),
    ("close_full", '        self.refuse("close", "a")\n', ""),
)
"""A fault that is always among the hidden ones, and the part of the reference (old, new) that alone catches it."""

STRICT: tuple[tuple[str, str], ...] = (
    ("with self.assertRaises(ValueError):", 'with self.assertRaisesRegex(ValueError, "low is above high"):'),
    (
        "            with self.assertRaises(ValueError):",
        '            with self.assertRaisesRegex(ValueError, "negative duration"):',
    ),
    (
        "        self.assertEqual(len(cache), 3)\n        self.assertIsNone",
        "        self.assertEqual(len(cache._values), 3)\n        self.assertIsNone",
    ),
    (
        "            with self.subTest(text), self.assertRaises(ValueError):",
        '            with self.subTest(text), self.assertRaisesRegex(ValueError, "no version"):',
    ),
    (
        '        self.refuse("open", "c", -1)\n',
        '        self.refuse("open", "c", -1)\n        self.assertEqual(self.book._saved, [])\n',
    ),
)
"""Part of the reference (old, new) that asks for what the documentation does not promise."""
