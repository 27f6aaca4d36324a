import itertools
import unittest

from zzmodule import compare, matches, parse

ORDER = [
    "0.0.0-0", "0.0.0-a", "0.0.0", "0.0.1", "0.2.0", "0.10.0", "1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0-10.1", "1.0.0-1a",
    "1.0.0-B", "1.0.0-a", "1.0.0-a.1", "1.0.0-a.2", "1.0.0-a.10", "1.0.0-a.b", "1.0.0-rc.1", "1.0.0", "1.0.9", "1.0.10",
    "2.0.0", "10.0.0",
]  # fmt: skip


class VersionTest(unittest.TestCase):
    def test_parse(self):
        self.assertEqual(parse("1.20.3"), (1, 20, 3, ""))
        self.assertEqual(parse("0.0.10-rc.1"), (0, 0, 10, "rc.1"))
        wrong = ["", "1", "1.2", "1.2.3.4", "01.2.3", "1.02.3", "1.2.03", "1.2.3-", "1.2.3-a.", "1.2.3-a..b", "1.2.3-a_b", "v1.2.3",
                 " 1.2.3", "1.2.3\n", "1.2.-3", "1.2.3-a-b", "1.2.x", "1.2.3-\u00e9", "1.2.\u0663"]  # fmt: skip
        for text in wrong:
            with self.subTest(text), self.assertRaises(ValueError):
                parse(text)

    def test_compare(self):
        for (i, left), (j, right) in itertools.product(enumerate(ORDER), repeat=2):
            with self.subTest(left=left, right=right):
                self.assertEqual(compare(left, right), (i > j) - (i < j))
        self.assertEqual(compare("1.0.0-01", "1.0.0-1"), 0)
        with self.assertRaises(ValueError):
            compare("1.0.0", "x")

    def test_operators(self):
        for operator, wanted in {"==": "010", "!=": "101", "<": "100", "<=": "110", ">": "001", ">=": "011"}.items():
            for version, holds in zip(("1.2.2", "1.2.3", "1.2.4"), wanted, strict=True):
                with self.subTest(operator=operator, version=version):
                    self.assertIs(matches(version, f"{operator}1.2.3"), holds == "1")

    def test_caret(self):
        table = {("1.2.3", "^1.2.3"): True, ("1.9.0", "^1.2.3"): True, ("1.2.2", "^1.2.3"): False, ("2.0.0", "^1.2.3"): False,
                 ("0.2.9", "^0.2.3"): True, ("0.3.0", "^0.2.3"): False, ("1.2.3", "^0.2.3"): False, ("0.2.0", "^0.2.3"): False,
                 ("1.2.3-rc", "^1.2.3"): False, ("1.2.3", "^1.2.3-rc"): True, ("0.0.5", "^0.0.1"): True}  # fmt: skip
        for (version, wanted), holds in table.items():
            with self.subTest(version=version, wanted=wanted):
                self.assertIs(matches(version, wanted), holds)

    def test_several(self):
        self.assertTrue(matches("1.5.0", " >=1.0.0 , < 2.0.0,!=1.4.0 "))
        self.assertFalse(matches("1.4.0", ">=1.0.0,<2.0.0,!=1.4.0"))
        self.assertFalse(matches("0.9.0", ">=1.0.0,<2.0.0"))
        self.assertFalse(matches("2.0.0", ">=1.0.0,<2.0.0"))
        for wrong in ("", ">=1.0.0,", "1.0.0", ">=1.0", "=1.0.0", "<9.0.0,x", ">9.0.0,"):
            with self.subTest(wrong), self.assertRaises(ValueError):
                matches("1.0.0", wrong)


if __name__ == "__main__":
    unittest.main()
