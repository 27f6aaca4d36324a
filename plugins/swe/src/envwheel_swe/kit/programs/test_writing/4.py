"""An account book with transactions that can be rolled back."""


class BookError(Exception):
    """A request that the book refuses; the book is unchanged."""


class Book:
    """Accounts with whole, never negative balances.

    - `open(name, limit=None)`: a new account with balance 0 that holds at most `limit` (None: any amount). BookError when
      the name is taken (a closed account's name is free again) or the limit is negative.
    - `deposit(name, amount)` and `withdraw(name, amount)`: the amount is a whole number above 0. BookError for an unknown
      account, another amount, a balance above the limit or below 0.
    - `transfer(source, target, amount)`: both at once or, when either would fail, nothing. From an account to itself is
      allowed, when it holds the amount, and changes nothing; it is recorded all the same.
    - `balance(name)`: BookError for an unknown account. `total()`: the sum of all balances.
    - `close(name)`: removes an account; BookError unless it exists and its balance is 0.
    - `history(name)`: a new list of (kind, amount) of this account, the oldest first: kind is "deposit", "withdraw", "in"
      or "out" (a transfer to itself gives "out", then "in"). Refused requests leave no trace; a name that is opened again
      starts with an empty history. BookError for an unknown account.
    - `begin()`, `commit()`, `rollback()`: transactions, which may be nested. `rollback` takes back everything (openings
      and closings too) since the matching `begin`; `commit` keeps it, for the enclosing transaction to decide.
      BookError for `commit` or `rollback` without `begin`.
    """

    def __init__(self):
        self._accounts = {}
        self._saved = []

    def open(self, name, limit=None):
        if name in self._accounts:
            raise BookError(f"{name} exists")
        if limit is not None and limit < 0:
            raise BookError("negative limit")
        self._accounts[name] = (0, limit, ())

    def deposit(self, name, amount):
        self._change(name, "deposit", amount, 1)

    def withdraw(self, name, amount):
        self._change(name, "withdraw", amount, -1)

    def transfer(self, source, target, amount):
        self._find(source)
        self._find(target)
        self.begin()
        try:
            self._change(source, "out", amount, -1)
            self._change(target, "in", amount, 1)
        except BookError:
            self.rollback()
            raise
        self.commit()

    def balance(self, name):
        return self._find(name)[0]

    def total(self):
        return sum(balance for balance, _, _ in self._accounts.values())

    def close(self, name):
        if self._find(name)[0] != 0:
            raise BookError(f"{name} is not empty")
        del self._accounts[name]

    def history(self, name):
        return list(self._find(name)[2])

    def begin(self):
        self._saved.append(dict(self._accounts))

    def commit(self):
        if not self._saved:
            raise BookError("no transaction")
        self._saved.pop()

    def rollback(self):
        if not self._saved:
            raise BookError("no transaction")
        self._accounts = self._saved.pop()

    def _find(self, name):
        if name not in self._accounts:
            raise BookError(f"no account {name}")
        return self._accounts[name]

    def _change(self, name, kind, amount, sign):
        balance, limit, history = self._find(name)
        if isinstance(amount, bool) or not isinstance(amount, int) or amount <= 0:
            raise BookError(f"bad amount {amount!r}")
        balance += sign * amount
        if balance < 0 or (limit is not None and balance > limit):
            raise BookError(f"{name} cannot hold {balance}")
        self._accounts[name] = (balance, limit, (*history, (kind, amount)))
