import unittest

from zzmodule import Book, BookError


class BookTest(unittest.TestCase):
    def setUp(self):
        self.book = Book()
        self.book.open("a")
        self.book.open("b", 100)
        self.book.deposit("a", 50)

    def refuse(self, method, *arguments):
        before = self.state()
        with self.assertRaises(BookError):
            getattr(self.book, method)(*arguments)
        self.assertEqual(self.state(), before)

    def state(self):
        names = [name for name in ("a", "b", "c") if self.known(name)]
        return {name: (self.book.balance(name), self.book.history(name)) for name in names}

    def known(self, name):
        try:
            self.book.balance(name)
        except BookError:
            return False
        return True

    def test_open(self):
        self.refuse("open", "a")
        self.refuse("open", "b")
        self.refuse("open", "c", -1)
        self.book.open("c", 0)
        self.refuse("deposit", "c", 1)
        self.assertEqual(self.book.balance("c"), 0)

    def test_amounts(self):
        for method in ("deposit", "withdraw"):
            for amount in (0, -1, 1.0, "5", True, None):
                self.refuse(method, "a", amount)
            self.refuse(method, "x", 1)
        for amount in (0, -1, 1.5, True):
            self.refuse("transfer", "a", "b", amount)
            self.refuse("transfer", "a", "a", amount)

    def test_limits(self):
        self.book.deposit("b", 100)
        self.refuse("deposit", "b", 1)
        self.refuse("withdraw", "a", 51)
        self.book.withdraw("a", 50)
        self.assertEqual(self.book.balance("a"), 0)
        self.book.deposit("a", 10**20)
        self.assertEqual(self.book.total(), 10**20 + 100)

    def test_transfer(self):
        self.book.transfer("a", "b", 50)
        self.assertEqual((self.book.balance("a"), self.book.balance("b"), self.book.total()), (0, 50, 50))
        self.refuse("transfer", "a", "b", 1)
        self.book.deposit("a", 60)
        self.refuse("transfer", "a", "b", 51)
        self.refuse("transfer", "a", "x", 5)
        self.refuse("transfer", "x", "a", 5)
        self.assertEqual(self.book.history("b"), [("in", 50)])
        self.assertEqual(self.book.history("a"), [("deposit", 50), ("out", 50), ("deposit", 60)])

    def test_transfer_to_itself(self):
        self.book.transfer("a", "a", 50)
        self.assertEqual(self.book.balance("a"), 50)
        self.assertEqual(self.book.history("a"), [("deposit", 50), ("out", 50), ("in", 50)])
        self.refuse("transfer", "a", "a", 51)
        self.refuse("transfer", "x", "x", 1)

    def test_close(self):
        self.refuse("close", "a")
        self.refuse("close", "x")
        self.book.withdraw("a", 50)
        self.book.close("a")
        self.refuse("balance", "a")
        self.refuse("history", "a")
        self.book.open("a", 5)
        self.assertEqual(self.book.history("a"), [])
        self.refuse("deposit", "a", 6)

    def test_history_is_a_copy(self):
        self.book.history("a").append("x")
        self.assertEqual(self.book.history("a"), [("deposit", 50)])
        kept = self.book.history("a")
        self.book.deposit("a", 1)
        self.assertEqual(kept, [("deposit", 50)])

    def test_rollback(self):
        before = self.state()
        self.book.begin()
        self.book.open("c", 7)
        self.book.deposit("c", 7)
        self.book.transfer("a", "b", 50)
        self.book.close("a")
        self.book.rollback()
        self.assertEqual(self.state(), before)
        self.assertEqual(self.book.total(), 50)
        self.refuse("deposit", "b", 101)

    def test_nested(self):
        self.book.begin()
        self.book.deposit("a", 1)
        self.book.begin()
        self.book.deposit("a", 2)
        self.book.commit()
        self.assertEqual(self.book.balance("a"), 53)
        self.book.begin()
        self.book.deposit("a", 4)
        self.book.rollback()
        self.assertEqual(self.book.balance("a"), 53)
        self.book.rollback()
        self.assertEqual(self.book.balance("a"), 50)
        self.refuse("rollback")
        self.refuse("commit")

    def test_commit_keeps(self):
        self.book.begin()
        self.book.deposit("a", 1)
        self.book.commit()
        self.assertEqual(self.book.balance("a"), 51)
        self.refuse("commit")

    def test_refusal_in_a_transaction(self):
        self.book.begin()
        self.book.deposit("a", 1)
        self.refuse("transfer", "a", "b", 500)
        self.assertEqual(self.book.balance("a"), 51)
        self.book.rollback()
        self.assertEqual(self.book.balance("a"), 50)


if __name__ == "__main__":
    unittest.main()
