"""The stock: a JSON file that is replaced in one step."""

import json
import os
import tempfile
import threading


class Missing(Exception):
    """There is no such zzitem."""


class Conflict(Exception):
    """The zzitem is not there in the wanted version."""


class Store:
    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()
        with open(path, encoding="utf-8") as file:
            self.zzitems = json.load(file)

    def all(self, least=None):
        with self.lock:
            found = [self._shown(id) for id in sorted(self.zzitems)]
        return [zzitem for zzitem in found if least is None or zzitem["stock"] >= least]

    def get(self, id):
        with self.lock:
            if id not in self.zzitems:
                raise Missing(id)
            return self._shown(id)

    def put(self, id, name, stock, version=None):
        """The zzitem, and whether it is new."""
        with self.lock:
            self._expect(id, version)
            old = self.zzitems.get(id)
            number = old["version"] + 1 if old else 1
            self._save({**self.zzitems, id: {"name": name, "stock": stock, "version": number}})
            return self._shown(id), old is None

    def delete(self, id, version=None):
        with self.lock:
            self._expect(id, version)
            if id not in self.zzitems:
                raise Missing(id)
            self._save({other: zzitem for other, zzitem in self.zzitems.items() if other != id})

    def _shown(self, id):
        return {"id": id, **self.zzitems[id]}

    def _expect(self, id, version):
        if version is not None and str(self.zzitems.get(id, {}).get("version")) != version:
            raise Conflict(id)

    def _save(self, zzitems):
        folder = os.path.dirname(os.path.abspath(self.path))
        with tempfile.NamedTemporaryFile("w", dir=folder, encoding="utf-8", delete=False) as file:
            json.dump(zzitems, file, ensure_ascii=False, indent=2)
        os.replace(file.name, self.path)
        self.zzitems = zzitems
