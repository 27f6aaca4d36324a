import unittest

from zzmodule import RecentCache


class RecentCacheTest(unittest.TestCase):
    def filled(self, size=3):
        cache = RecentCache(size)
        for key in "abc":
            cache.put(key, key.upper())
        return cache

    def test_size(self):
        for size in (0, -1):
            with self.assertRaises(ValueError):
                RecentCache(size)
        cache = self.filled(1)
        self.assertEqual((len(cache), cache.keys()), (1, ["c"]))

    def test_evicts_the_oldest(self):
        cache = self.filled()
        cache.put("d", "D")
        self.assertEqual(cache.keys(), ["b", "c", "d"])
        self.assertEqual(len(cache), 3)
        self.assertIsNone(cache.get("a"))

    def test_get_is_a_use(self):
        cache = self.filled()
        self.assertEqual(cache.get("a"), "A")
        self.assertEqual(cache.keys(), ["b", "c", "a"])

    def test_put_again_is_a_use(self):
        cache = self.filled()
        cache.put("a", 1)
        self.assertEqual(cache.keys(), ["b", "c", "a"])
        self.assertEqual(cache.get("a"), 1)
        self.assertEqual(len(cache), 3)

    def test_missing(self):
        cache = self.filled()
        self.assertIsNone(cache.get("x"))
        self.assertEqual(cache.get("x", 5), 5)
        self.assertEqual(cache.keys(), ["a", "b", "c"])

    def test_false_values(self):
        cache = RecentCache(2)
        cache.put("n", None)
        cache.put("z", 0)
        self.assertIsNone(cache.get("n", "default"))
        self.assertEqual(cache.get("z", "default"), 0)

    def test_looking_is_no_use(self):
        cache = self.filled()
        self.assertIn("a", cache)
        self.assertNotIn("x", cache)
        self.assertEqual(cache.keys(), ["a", "b", "c"])
        cache.keys().clear()
        self.assertEqual(len(cache), 3)


if __name__ == "__main__":
    unittest.main()
