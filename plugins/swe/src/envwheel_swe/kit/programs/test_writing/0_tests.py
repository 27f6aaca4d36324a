import unittest

from zzmodule import clamp


class ClampTest(unittest.TestCase):
    def test_inside(self):
        self.assertEqual(clamp(5, 1, 9), 5)
        self.assertEqual(clamp(1, 1, 9), 1)
        self.assertEqual(clamp(9, 1, 9), 9)

    def test_outside(self):
        self.assertEqual(clamp(-3, 1, 9), 1)
        self.assertEqual(clamp(12, 1, 9), 9)

    def test_bounds(self):
        self.assertEqual(clamp(7, 4, 4), 4)
        with self.assertRaises(ValueError):
            clamp(5, 9, 1)


if __name__ == "__main__":
    unittest.main()
