"""Customers, their invoices, a template, and the letters that follow: the model behind `mail_merge`."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from docx import Document

from envwheel_office.books import book
from envwheel_office.facts import Names, money
from envwheel_office.papers import packed

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip

BOLD = 3
"""Which paragraph of a template is bold, from 0."""


@dataclass(slots=True)
class Person:
    """A customer. `invoices` are (number, due, open)."""

    number: str
    name: str
    street: str
    city: str
    amount: float
    title: str = ""
    letters: str = "yes"
    invoices: list[tuple[str, date, float]] = field(default_factory=list)

    @property
    def total(self) -> float:
        """What the customer owes."""
        return round(sum(item[2] for item in self.invoices), 2) if self.invoices else self.amount


@dataclass(slots=True)
class Letters:
    """The template, as paragraphs, and who gets it."""

    level: int
    template: list[str]
    people: list[Person]
    day: date

    @property
    def fields(self) -> list[str]:
        """The fields of the template."""
        known = ("Customer", "Name", "Street", "City", "Amount", "Date")
        return [name for name in known if any("{{" + name + "}}" in text for text in self.template)]

    def docx(self) -> bytes:
        """The template; from level 2 on some fields are spread over several runs."""
        doc = Document()
        for number, text in enumerate(self.template):
            paragraph = doc.add_paragraph()
            if self.level > 1 and "{{Amount}}" in text:
                head, _, tail = text.partition("{{Amount}}")
                for part in (head + "{{", "Amount", "}}" + tail):
                    paragraph.add_run(part)
            else:
                paragraph.add_run(text).bold = True if number == BOLD else None
        if self.level > 2:
            table = doc.add_table(1, 3, style="Table Grid")
            for cell, text in zip(table.rows[0].cells, ("Invoice", "Due", "Open"), strict=True):
                cell.text = text
        return packed(doc)

    def rows(self) -> list[list[Any]]:
        """The list of customers."""
        head = ["Customer", "File", "Name", "Street", "City", "Date"]
        head += (["Amount"] if self.level < 3 else []) + (["Title", "Letters"] if self.level == 4 else [])
        found: list[list[Any]] = [head]
        for person in self.people:
            row = [
                person.number,
                f"{person.number}.docx",
                person.name,
                person.street,
                person.city,
                self.day.isoformat(),
            ]
            row += [f"{person.amount:.2f}"] if self.level < 3 else []
            found.append(row + ([person.title, person.letters] if self.level == 4 else []))
        return found

    def invoices(self) -> bytes:
        """The workbook of open invoices, in no order."""
        rows: list[list[Any]] = [[person.number, *item] for person in self.people for item in person.invoices]
        rows.sort(key=lambda row: row[1])
        return book({"Invoices": [["Customer", "Invoice", "Due", "Open"], *rows]})

    def late(self, person: Person) -> bool:
        """Whether an invoice was due before the letter."""
        return any(due < self.day for _, due, _ in person.invoices)

    def skipped(self, person: Person) -> str:
        """Why a customer gets no letter; "" for one who does."""
        if self.level < 4:
            return ""
        return "opted out" if person.letters == "no" else "small amount" if person.total < 50 else ""

    def texts(self, person: Person, table: bool = False) -> list[str]:
        """The paragraphs of a customer's letter; with `table` those of its cells, too."""
        total, name = person.total, person.name
        if self.level == 4:
            total += 12.5 if self.late(person) else 0
            name = {"f": "Ms ", "m": "Mr "}.get(person.title, "") + name
        facts = {"Customer": person.number, "Name": name, "Street": person.street, "City": person.city}
        facts |= {"Amount": self._amount(total), "Date": self._date(self.day)}
        found = []
        for text in self.template:
            for mark, holds in (("[late] ", self.late(person)), ("[in time] ", not self.late(person))):
                if text.startswith(mark):
                    text = text.removeprefix(mark) if holds else ""
            for key, value in facts.items():
                text = text.replace("{{" + key + "}}", value)
            found.append(text)
        cells = [["Invoice", "Due", "Open"], *self.table(person)] if table and self.level > 2 else []
        return [text for text in (*found, *(cell for row in cells for cell in row)) if text]

    def table(self, person: Person) -> list[list[str]]:
        """The rows of a customer's table."""
        rows = sorted(person.invoices, key=lambda item: (item[1], item[0]))
        return [[number, self._date(due), self._amount(much)] for number, due, much in rows]

    def _amount(self, much: float) -> str:
        return f"{much:,.2f} EUR" if self.level > 1 else f"{much:.2f}"

    def _date(self, day: date) -> str:
        return f"{day.day} {MONTHS[day.month - 1]} {day.year}" if self.level > 1 else day.isoformat()


def draw_letters(draw: random.Random, level: int) -> Letters:
    """A template and customers of this level."""
    names = Names(draw)
    count = (1, 5, 6, 6, 9)[level]
    people = [
        Person(f"K{number}", name, street, city, money(draw, 1100, 9000))
        for number, name, street, city in zip(
            draw.sample(range(1000, 9999), count), names.people(count), names.streets(count), names.cities(count),
            strict=True,
        )
    ]  # fmt: skip
    day = date(draw.choice((2021, 2022, 2023)), draw.randint(1, 12), draw.randint(2, 27))
    for index, person in enumerate(people if level > 2 else []):
        gap = 40 if index % 2 else -3
        for _ in range(draw.randint(1, 3)):
            number = f"INV-{draw.randint(10000, 99999)}"
            due = day + timedelta(days=draw.randint(1, 20) - (gap if index % 2 else 0))
            person.invoices.append((number, due, money(draw, 1000, 4000)))
        person.title, person.letters = draw.choice(("f", "m", "")), "yes"
    if level == 4:
        people[0].title = "f"
        people[3].letters = "no"
        people[5].invoices = [("INV-10001", day - timedelta(days=9), 31.4)]
        people[7].letters, people[7].invoices = "no", [("INV-10002", day, 12.8)]
    subject = draw.choice(("Your account", "Statement of account", "Our records"))
    template = ["{{Name}}", "{{Street}}", "{{City}}", f"{subject} on {{{{Date}}}}", "Dear {{Name}},"]
    if level == 0:
        template = [subject, "Dear {{Name}},", "thank you for your visit.", "We will call you, {{Name}}, next week."]
    elif level < 3:
        template += ["your account {{Customer}} shows {{Amount}}.", "Kind regards"]
    else:
        template += [
            "your account {{Customer}} shows {{Amount}}.",
            "[late] Part of this is overdue. Please pay within a week.",
            "[in time] Nothing is overdue. Thank you for paying in time.",
            "These are your open invoices:",
        ]
    return Letters(level, template, people, day)
