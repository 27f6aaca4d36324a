"""Items and their movements, the stock that follows, and the same as formulas: the model behind `inventory`."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from envwheel_office.books import book, grid
from envwheel_office.facts import PRODUCTS, Names, money

MOVES = ["No", "Date", "Item", "Quantity", "Price"]
HEADS = {
    2: ["Item", "Received", "Issued", "On hand", "Status"],
    3: ["Item", "Received", "Issued", "On hand", "Status", "Value"],
    4: ["Item", "Received", "Issued", "On hand", "Status"],
}


@dataclass(frozen=True, slots=True)
class Item:
    """What is stocked."""

    name: str
    least: int
    lot: int
    supplier: str


@dataclass(frozen=True, slots=True)
class Move:
    """A receipt (positive), an issue (negative), or by its kind a count or the supplier's own."""

    no: int
    day: date
    item: str
    quantity: int
    price: float | None
    kind: str = ""


@dataclass(slots=True)
class Stock:
    """Items and movements, and the cut-off date."""

    items: list[Item]
    moves: list[Move]
    until: date
    kinds: bool

    @property
    def head(self) -> list[str]:
        """The columns of Movements."""
        return [*MOVES, "Kind"] if self.kinds else MOVES

    def book(self, sheets: list[str]) -> bytes:
        """The workbook."""
        moves = [[m.no, m.day, m.item, m.quantity, m.price, *([m.kind] if self.kinds else [])] for m in self.moves]
        known: dict[str, list[list[Any]]] = {
            "Settings": [["Cut-off", self.until]],
            "Items": [
                ["Item", "Minimum", "Lot", "Supplier"],
                *([i.name, i.least, i.lot, i.supplier] for i in self.items),
            ],
            "Movements": [self.head, *moves],
        }
        return book({name: known[name] for name in sheets}, plain=["Settings"])

    def on_hand(self, name: str) -> int:
        """The sum of all movements."""
        return sum(move.quantity for move in self.moves if move.item == name)

    def rows(self, level: int) -> list[list[Any]]:
        """The stock cards at the cut-off date."""
        found: list[list[Any]] = []
        for item in self.items:
            mine = [m for m in self.moves if m.item == item.name and m.day <= self.until and m.kind != "Consignment"]
            counts = [index for index, move in enumerate(mine) if move.kind == "Count"]
            start = mine[counts[-1]].quantity if counts else 0
            mine = mine[counts[-1] + 1 :] if counts else mine
            received = sum(move.quantity for move in mine if move.quantity > 0)
            issued = -sum(move.quantity for move in mine if move.quantity < 0)
            have = start + received - issued
            status = "order" if have < item.least else "ok"
            if self.kinds and have < 0:
                status = "blocked"
            row: list[Any] = [item.name, received, issued, have, status]
            if level == 3:
                left, worth = have, 0.0
                for move in reversed(mine):
                    if move.quantity > 0 and left > 0:
                        worth += min(left, move.quantity) * (move.price or 0)
                        left -= min(left, move.quantity)
                row.append(worth)
            found.append(row)
        return found

    def sheets(self, level: int, other: bool) -> dict[str, dict[str, Any]]:
        """The table as formulas; level 3 with a helper sheet, level 4 with helper columns."""
        n = len(self.moves) + 1
        rows: list[list[Any]] = []
        when, what, much = (f"Movements!${x}$2:${x}${n}" for x in "BCD")
        for y, item in enumerate(self.items, 2):
            base = f"({what}=A{y})*({when}<=Settings!$B$1)"
            until = f'{what},A{y},{when},"<="&Settings!$B$1'
            status = f'IF(D{y}<Items!B{y},"order","ok")'
            start = ""
            if level == 4:
                kind, place = f"Movements!$F$2:$F${n}", f"$N$2:$N${n}"
                last = f'SUMPRODUCT(MAX({base}*({kind}="Count")*{place}))'
                base += f'*({place}>K{y})*({kind}<>"Consignment")*({kind}<>"Count")'
                start = f"IF(K{y}=0,0,INDEX(Movements!$D$1:$D${n},K{y}))+"
                status = f'IF(D{y}<0,"blocked",{status})'
            got, gone = f"=SUMPRODUCT({base}*({much}>0)*{much})", f"=SUMPRODUCT({base}*({much}<0)*-{much})"
            if level < 4 and not other:
                got, gone = f'=SUMIFS({much},{until},{much},">0")', f'=-SUMIFS({much},{until},{much},"<0")'
            if level == 4 and other:
                last = f'MAX(0,_xlfn.MAXIFS($N$2:$N${n},{until},{kind},"Count"))'
                tail = f'$N$2:$N${n},">"&K{y},{kind},"<>Consignment",{kind},"<>Count"'
                got, gone = (
                    f'={sign}SUMIFS({much},{until},{much},"{side}0",{tail})' for sign, side in (("", ">"), ("-", "<"))
                )
            rows.append([item.name, got, gone, f"={start}B{y}-C{y}", f"={status}"])
            if level == 3:
                rows[-1].append(f"=SUMPRODUCT(({what}=A{y})*Layers!$B$2:$B${n})")
            if level == 4:
                rows[-1] += [None, None, None, None, None, f"={last}"]
        cells: dict[str, Any] = grid([HEADS[level], *rows])
        if level == 4:
            cells["K1"] = "Row of the last count"
            cells |= {f"N{y}": y for y in range(2, n + 1)} | {"N1": "Row"}
        found: dict[str, dict[str, Any]] = {"Stock": cells}
        if level == 3:
            found["Layers"] = self._layers(n, other)
        return found

    def _layers(self, n: int, other: bool) -> dict[str, Any]:
        """For each movement: how much newer receipts of its item hold, and what its own part of the stock is worth."""
        m, cells = len(self.items) + 1, {"A1": "Newer", "B1": "Worth"}
        for y in range(2, n + 1):
            newer = (
                f"Movements!$C${y + 1}:$C${n + 1}",
                f"Movements!$B${y + 1}:$B${n + 1}",
                f"Movements!$D${y + 1}:$D${n + 1}",
            )
            item = f"Movements!$C{y}"
            have = f"INDEX(Stock!$D$2:$D${m},MATCH({item},Stock!$A$2:$A${m},0))"
            cells[f"A{y}"] = f'=SUMIFS({newer[2]},{newer[0]},{item},{newer[1]},"<="&Settings!$B$1,{newer[2]},">0")'
            if other:
                test = f"({newer[0]}={item})*({newer[1]}<=Settings!$B$1)*({newer[2]}>0)"
                cells[f"A{y}"] = f"=SUMPRODUCT({test}*{newer[2]})"
            left = f"MIN(Movements!D{y},{have}-A{y})"
            counts = f"IF(Movements!B{y}<=Settings!$B$1,IF(Movements!D{y}>0,1,0),0)"
            cells[f"B{y}"] = f"=MAX(0,{left})*{counts}*Movements!E{y}"
        return cells


def draw_stock(draw: random.Random, count: int, moves: int, level: int) -> Stock:
    """Movements in order of time; some items sit exactly at their minimum, some have no movements."""
    kinds = level == 4
    suppliers = Names(draw).companies(4)
    items = [
        Item(name, draw.randint(2, 12) * 5, draw.choice((4, 6, 10, 12, 25)), draw.choice(suppliers))
        for name in draw.sample(PRODUCTS, count)
    ]
    when, made = date(draw.choice((2021, 2022, 2023)), 1, 9), []
    have = dict.fromkeys((item.name for item in items), 0)
    for no in range(1, moves + 1):
        when += timedelta(days=draw.choice((0, 0, 1, 1, 2)))
        name = draw.choice(items[:-1]).name
        quantity = draw.randint(1, 8) * 5
        if have[name] > 12 and draw.random() < 0.6:
            quantity = -draw.randint(1, have[name])
        kind = draw.choice(("Normal",) * 6 + ("Count", "Consignment")) if kinds else ""
        if kind == "Count":
            quantity = max(have[name] + draw.randint(-3, 3), 1)
        have[name] = quantity if kind == "Count" else have[name] + quantity * (kind != "Consignment")
        made.append(
            Move(no, when, name, quantity, money(draw, 8, 90) if quantity > 0 and kind != "Count" else None, kind)
        )
    until = made[-moves // 6].day
    stock = Stock(items, made, until, kinds)
    held = [stock.on_hand(item.name) if level < 2 else card[3] for item, card in zip(items, stock.rows(2), strict=True)]
    for index in [at for at, have in enumerate(held) if have > 0][:3:2]:
        items[index] = replace(items[index], least=held[index])
    return stock
