"""The gadgets: in memory, and in the data file after each change."""

import json
import os
import threading


class Refused(Exception):
    """A request that cannot be done: HTTP status and text."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class Store:
    """Name -> stock. Every method may be called from several threads."""

    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()
        self.stocks = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.stocks = json.load(file)

    def names(self):
        """All names, sorted."""
        with self.lock:
            return sorted(self.stocks)

    def get(self, name):
        """A gadget."""
        with self.lock:
            return self._gadget(name)

    def put(self, name, stock):
        """Set a stock; returns the gadget and whether it is new."""
        if type(stock) is not int or stock < 0:
            raise Refused(400, "stock must be an integer that is at least 0")
        with self.lock:
            new = name not in self.stocks
            self.stocks[name] = stock
            self._save()
            return self._gadget(name), new

    def take(self, name, count):
        """Take `count` away."""
        if type(count) is not int or count < 1:
            raise Refused(400, "count must be an integer that is at least 1")
        with self.lock:
            left = self._gadget(name)["stock"] - count
            if left < 0:
                raise Refused(409, "not enough in stock")
            self.stocks[name] = left
            self._save()
            return self._gadget(name)

    def delete(self, name):
        """Forget a gadget."""
        with self.lock:
            gadget = self._gadget(name)
            del self.stocks[name]
            self._save()
            return gadget

    def _gadget(self, name):
        if name not in self.stocks:
            raise Refused(404, "no such gadget")
        return {"name": name, "stock": self.stocks[name]}

    def _save(self):
        beside = self.path + ".new"
        with open(beside, "w", encoding="utf-8") as file:
            json.dump(self.stocks, file, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, self.path)
