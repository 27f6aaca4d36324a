from collections import OrderedDict


class RecentCache:
    def __init__(self, size):
        if not size >= 1:
            raise ValueError(size)
        self.limit = size
        self.stored = OrderedDict()

    def put(self, key, value):
        self.stored[key] = value
        self.stored.move_to_end(key)
        while len(self.stored) > self.limit:
            self.stored.popitem(last=False)

    def get(self, key, default=None):
        try:
            self.stored.move_to_end(key)
        except KeyError:
            return default
        return self.stored[key]

    def keys(self):
        return [*self.stored.keys()]

    def __contains__(self, key):
        return self.stored.__contains__(key)

    def __len__(self):
        return self.stored.__len__()
