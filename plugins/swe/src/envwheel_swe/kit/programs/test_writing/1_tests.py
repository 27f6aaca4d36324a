import unittest

from zzmodule import short_duration


class ShortDurationTest(unittest.TestCase):
    def test_table(self):
        table = {
            0: "0s", 1: "1s", 59: "59s", 60: "1m", 61: "1m 1s", 3599: "59m 59s", 3600: "1h", 3605: "1h 5s", 7260: "2h 1m",
            86399: "23h 59m 59s", 86400: "1d", 90061: "1d 1h 1m 1s", 864000: "10d", 100 * 86400 + 5: "100d 5s",
        }  # fmt: skip
        for seconds, text in table.items():
            with self.subTest(seconds):
                self.assertEqual(short_duration(seconds), text)

    def test_negative(self):
        for seconds in (-1, -86400):
            with self.assertRaises(ValueError):
                short_duration(seconds)


if __name__ == "__main__":
    unittest.main()
