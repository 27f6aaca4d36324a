"""A ledger and its bank account, what matches, and a reconciliation as formulas: the model behind `reconciliation`."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from envwheel_office.books import book, grid
from envwheel_office.facts import Names, money

LEDGER = ["Voucher", "Date", "Reference", "Amount"]
BANK = ["Line", "Date", "Text", "Amount"]


@dataclass(slots=True)
class Books:
    """Rows as they stand in the workbook. `level` says which rules hold."""

    level: int
    ledger: list[list[Any]]
    bank: list[list[Any]]
    balances: tuple[float, float] = (0.0, 0.0)
    pairs: dict[str, str] = field(default_factory=dict)

    @property
    def ledger_head(self) -> list[str]:
        """The columns of Ledger."""
        return [*LEDGER, "Status"] if self.level == 4 else LEDGER

    @property
    def bank_head(self) -> list[str]:
        """The columns of Bank."""
        head = ["Line", "Date", "Reference", "Amount"] if self.level > 2 else BANK
        return [*head, "Fee"] if self.level == 4 else head

    def book(self) -> bytes:
        """The workbook."""
        found: dict[str, list[list[Any]]] = {}
        if self.level > 2:
            found["Balances"] = [["Bank", self.balances[0]], ["Ledger", self.balances[1]]]
        found["Ledger"], found["Bank"] = [self.ledger_head, *self.ledger], [self.bank_head, *self.bank]
        return book(found, plain=["Balances"])

    def matched(self, days: int, by_reference: bool) -> tuple[list[list[Any]], list[list[Any]]]:
        """Levels 1 and 2: the matches, and what is open."""
        taken: dict[str, str] = {}
        for row in sorted(self.ledger):
            best: tuple[int, str] | None = None
            for line in self.bank:
                near = abs((line[1] - row[1]).days)
                fits = row[2] in line[2] if by_reference else near <= days
                if line[0] not in taken.values() and round((line[3] - row[3]) * 100) == 0 and fits:
                    best = min(best or (10**9, ""), (near, line[0]))
            if best:
                taken[row[0]] = best[1]
        left = [["Ledger", row[0], row[1], row[3]] for row in sorted(self.ledger) if row[0] not in taken]
        left += [["Bank", row[0], row[1], row[3]] for row in sorted(self.bank) if row[0] not in taken.values()]
        return [list(pair) for pair in sorted(taken.items())], left

    def expected(self) -> tuple[list[list[Any]], list[list[Any]], dict[str, float]]:
        """Levels 3 and 4: the line of each voucher, the voucher of each line, the statement."""
        back = {line: voucher for voucher, line in self.pairs.items()}
        void = {row[0] for row in self.ledger if self.level == 4 and row[4] == "void"}
        vouchers = [[row[0], "void" if row[0] in void else self.pairs.get(row[0], "open")] for row in self.ledger]
        lines = [[row[0], back.get(row[0], "open")] for row in self.bank]
        out = sum(row[3] for row, (_, line) in zip(self.ledger, vouchers, strict=True) if line == "open")
        new = sum(row[3] for row, (_, voucher) in zip(self.bank, lines, strict=True) if voucher == "open")
        fees = sum(row[4] for row in self.bank if row[0] in back) if self.level == 4 else 0.0
        adjusted = self.balances[0] + out - new + fees
        sums = {
            "Bank balance": self.balances[0],
            "Outstanding vouchers": out,
            "Unrecorded lines": new,
            "Adjusted balance": adjusted,
            "Ledger balance": self.balances[1],
            "Difference": adjusted - self.balances[1],
        }
        if self.level == 4:
            sums["Fees"] = fees
        return vouchers, lines, {label: round(much, 2) for label, much in sums.items()}

    def statement(self, other: bool) -> dict[str, dict[str, Any]]:
        """Matching, Lines and Statement as formulas; a helper column holds the row of the match, 0 for none."""
        a, b, fee = len(self.ledger) + 1, len(self.bank) + 1, self.level == 4
        matching: list[list[Any]] = [["Voucher", "Line", "Row"]]
        lines: list[list[Any]] = [["Line", "Voucher", "Row"]]
        for y, row in enumerate(self.ledger, 2):
            cut = f"LEFT(Ledger!C{y},8)" if fee else f"Ledger!C{y}"
            hit = f"IFERROR(MATCH({cut},Bank!$C$2:$C${b},0),0)"
            if other:
                hit = f'SUMPRODUCT((Bank!$C$2:$C${b}={cut})*(Bank!$C$2:$C${b}<>"")*($E$2:$E${b}))'
            paid = f"INDEX(Bank!$D$2:$D${b},{hit})" + (f"+INDEX(Bank!$E$2:$E${b},{hit})" if fee else "")
            line = f"=IF({hit}=0,0,IF(ABS({paid}-Ledger!D{y})<0.005,{hit},0))"
            if fee:
                line = f'=IF(Ledger!E{y}="void",-1,{line[1:]})'
            shown = f'IF(C{y}=0,"open",INDEX(Bank!$A$2:$A${b},C{y}))'
            matching.append([row[0], f'=IF(C{y}=-1,"void",{shown})' if fee else f"={shown}", line])
        for y, row in enumerate(self.bank, 2):
            place = f"IFERROR(MATCH(ROW(A{y})-1,Matching!$C$2:$C${a},0),0)"
            if other:
                place = f"IF(COUNTIF(Matching!$B$2:$B${a},A{y})=0,0,MATCH(A{y},Matching!$B$2:$B${a},0))"
            lines.append([row[0], f'=IF(C{y}=0,"open",INDEX(Ledger!$A$2:$A${a},C{y}))', f"={place}"])
        sums = [
            ["Bank balance", "=Balances!B1"],
            ["Outstanding vouchers", f"=SUMIF(Matching!C2:C{a},0,Ledger!D2:D{a})"],
            ["Unrecorded lines", f"=SUMIF(Lines!C2:C{b},0,Bank!D2:D{b})"],
            ["Adjusted balance", "=B1+B2-B3" + ("+B7" if fee else "")],
            ["Ledger balance", "=Balances!B2"],
            ["Difference", "=B4-B5"],
        ]
        if fee:
            sums.append(["Fees", f'=SUMIF(Lines!C2:C{b},">0",Bank!E2:E{b})'])
        cells = grid(matching)
        if other:
            cells |= {f"E{y}": y - 1 for y in range(2, b + 1)}
        return {"Matching": cells, "Lines": grid(lines), "Statement": grid(sums)}


def draw_books(draw: random.Random, level: int) -> Books:
    """Accounts of this level: most vouchers match, some amounts occur twice, some things are open on both sides."""
    count = (8, 26, 34, 24, 30)[level]
    names = Names(draw).companies(count)
    first = date(draw.choice((2021, 2022, 2023)), draw.randint(1, 12), 1)
    references = [f"R{number}" for number in draw.sample(range(10_000_000, 99_999_999), count)]
    ledger: list[list[Any]] = []
    bank: list[list[Any]] = []
    pairs: dict[str, str] = {}
    for index, reference in enumerate(references):
        voucher, day = f"V{1001 + index}", first + timedelta(days=draw.randint(0, 24))
        amount = money(draw, 40, 6000) * draw.choice((1, 1, -1))
        if level in (1, 2) and index % 6 == 5:
            amount = ledger[-1][3]
            day = ledger[-1][1] + timedelta(days=draw.randint(1, 3))
        ledger.append([voucher, day, reference, amount])
        if index % 7 == 3:
            continue
        later = day + timedelta(days=draw.choice((0, 1, 2, 3, 4)))
        if index % 9 == 4:
            later = day + timedelta(days=6)
        if level == 2 and index in (28, 29):
            later = day - timedelta(days=3) if index == 28 else ledger[28][1]
        amount = round(amount + 0.5, 2) if index % 8 == 6 else amount
        text = reference if level > 2 else f"{draw.choice(('TRANSFER', 'PAYMENT', 'SEPA'))} {names[index]} {reference}"
        if level == 1 and index % 10 == 1:
            text = text.replace(reference, "without reference")
        bank.append([voucher, later, text, amount])
    for _ in range(3):
        day = first + timedelta(days=draw.randint(3, 28))
        bank.append(["", day, f"R{draw.randint(10**6, 10**7)}", money(draw, -60, -5)])
    bank.sort(key=lambda line: (line[1], line[2]))
    for index, line in enumerate(bank):
        number = f"B{501 + index}"
        if line[0] and round(line[3] - next(row[3] for row in ledger if row[0] == line[0]), 2) == 0:
            pairs[line[0]] = number
        line[0] = number
    if level == 4:
        _with_fees(draw, ledger, bank, pairs)
    balances = (round(sum(line[3] for line in bank) + 12_000, 2), round(sum(row[3] for row in ledger) + 12_000, 2))
    return Books(level, ledger, bank, balances, pairs)


def _with_fees(draw: random.Random, ledger: list[list[Any]], bank: list[list[Any]], pairs: dict[str, str]) -> None:
    """Longer references that the bank cuts, fees that it keeps, vouchers that are void."""
    for line in bank:
        fee = draw.choice((0.0, 1.25, 2.5)) if line[3] > 0 else 0.0
        line[3] = round(line[3] - fee, 2)
        line[2] = line[2][:8].lower() if draw.random() < 0.5 else line[2][:8]
        line.append(fee)
    open_ones = [row for row in ledger if row[0] not in pairs]
    for row in ledger:
        row.append("posted")
    for row in open_ones[:2]:
        row[4] = "void"
    done = [row for row in ledger if row[0] in pairs]
    done[0][4] = "void"
    del pairs[done[0][0]]
