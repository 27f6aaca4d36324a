import copy


class BookError(Exception):
    pass


class _Account:
    def __init__(self, limit):
        self.money, self.limit, self.log = 0, limit, []

    def move(self, kind, amount):
        sign = 1 if kind in ("deposit", "in") else -1
        after = self.money + sign * amount
        if after < 0:
            raise BookError("too little")
        if self.limit is not None and after > self.limit:
            raise BookError("too much")
        self.money = after
        self.log.append((kind, amount))


def _check(amount):
    if type(amount) is not int or amount < 1:
        raise BookError("amount")


class Book:
    def __init__(self):
        self.state = {}
        self.stack = []

    def _get(self, name):
        try:
            return self.state[name]
        except KeyError:
            raise BookError("unknown") from None

    def open(self, name, limit=None):
        if self.state.get(name) is not None or (limit or 0) < 0:
            raise BookError("cannot open")
        self.state[name] = _Account(limit)

    def deposit(self, name, amount):
        account = self._get(name)
        _check(amount)
        account.move("deposit", amount)

    def withdraw(self, name, amount):
        account = self._get(name)
        _check(amount)
        account.move("withdraw", amount)

    def transfer(self, source, target, amount):
        one, two = self._get(source), self._get(target)
        _check(amount)
        one.move("out", amount)
        try:
            two.move("in", amount)
        except BookError:
            one.money += amount
            one.log.pop()
            raise

    def balance(self, name):
        return self._get(name).money

    def total(self):
        return sum(account.money for account in self.state.values())

    def close(self, name):
        if self._get(name).money:
            raise BookError("money left")
        self.state.pop(name)

    def history(self, name):
        return self._get(name).log[:]

    def begin(self):
        self.stack.append(copy.deepcopy(self.state))

    def commit(self):
        if self.stack == []:
            raise BookError("nothing to commit")
        self.stack.pop()

    def rollback(self):
        if self.stack == []:
            raise BookError("nothing to roll back")
        self.state = self.stack.pop()
