"""A cache of limited size."""


class RecentCache:
    """Keeps at most `size` values; when one more is put in, the one that was used longest ago goes.

    - `put(key, value)` stores a value (also in place of an older one) and counts as a use of the key.
    - `get(key, default=None)` returns the value, or `default`; finding a value counts as a use, not finding it does not
      change anything.
    - `key in cache` and `len(cache)` do not count as a use. `keys()` is a list, the one used longest ago first.
    - A size below 1 is a ValueError.
    """

    def __init__(self, size):
        if size < 1:
            raise ValueError("a cache holds at least one value")
        self.size = size
        self._values = {}

    def put(self, key, value):
        self._values.pop(key, None)
        self._values[key] = value
        if len(self._values) > self.size:
            oldest = next(iter(self._values))
            del self._values[oldest]

    def get(self, key, default=None):
        if key not in self._values:
            return default
        value = self._values.pop(key)
        self._values[key] = value
        return value

    def keys(self):
        return list(self._values)

    def __contains__(self, key):
        return key in self._values

    def __len__(self):
        return len(self._values)
