"""A meeting with its items, decisions and actions, and its notes: the model behind `minutes`."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, timedelta

from envwheel_office.facts import DEPARTMENTS, Names

TOPICS = (
    "Office move", "Supplier contracts", "Training plan", "Canteen", "Parking", "Printing costs", "Travel rules",
    "New telephones", "Summer party", "Data protection", "Cleaning service", "Visitor badges",
)  # fmt: skip
VERBS = ("postpone", "approve", "reject", "review", "extend", "simplify", "publish", "finance")
OBJECTS = (
    "the proposal for the ground floor", "the offer of the second bidder", "the plan for the next quarter",
    "the new price list", "the pilot with two teams", "the draft of the works council", "the report on last year",
    "the budget of the project",
)  # fmt: skip
TASKS = (
    "Collect offers", "Inform all teams", "Update the handbook", "Order samples", "Book a room", "Draft a letter",
    "Check the contract", "Count the keys", "Ask the landlord", "Prepare the budget",
)  # fmt: skip
TALK = (
    "I am not sure about that.", "We had this last year already.", "What did it cost?", "Let us come back to it.",
    "That is fine with me.", "Who would take care of it?",
)  # fmt: skip


@dataclass(slots=True)
class Item:
    """An item of the agenda, with decisions, and those of them that were withdrawn."""

    name: str
    decisions: list[str]
    withdrawn: list[str] = field(default_factory=list)

    @property
    def standing(self) -> list[str]:
        """The decisions that hold."""
        return [text for text in self.decisions if text not in self.withdrawn]


@dataclass(slots=True)
class Meeting:
    """Who met about what. `entries` are the actions as they were named; the last of a task holds."""

    name: str
    here: list[str]
    away: list[str]
    items: list[Item]
    entries: list[tuple[str, str, str]]

    def actions(self) -> list[list[str]]:
        """The rows of the action table."""
        last = {task: (owner, due) for task, owner, due in self.entries}
        return sorted(([task, owner, due] for task, (owner, due) in last.items()), key=lambda row: (row[2], row[0]))

    def notes(self, draw: random.Random) -> str:
        """The notes as text."""
        lines = [f"MEETING: {self.name}", f"PRESENT: {', '.join(self.here)}", f"EXCUSED: {', '.join(self.away)}", ""]
        share = -(-len(self.entries) // len(self.items))
        for number, item in enumerate(self.items):
            lines.append(f"ITEM: {item.name}")
            lines += [f"{draw.choice(self.here)}: {draw.choice(TALK)}" for _ in range(2)]
            for text in item.decisions:
                lines += [f"DECIDED: {text}", f"{draw.choice(self.here)}: {draw.choice(TALK)}"]
            lines += [f"WITHDRAWN: {text}" for text in item.withdrawn]
            lines += [f"ACTION: {' | '.join(entry)}" for entry in self.entries[number * share : (number + 1) * share]]
            lines.append("")
        return "\n".join(lines)


def draw_meeting(draw: random.Random, level: int) -> Meeting:
    """A meeting; the second item has no decision, at level 4 the first has one that is withdrawn."""
    people = Names(draw).people(8)
    items = []
    wishes = [(verb, what) for verb in VERBS for what in OBJECTS]
    for number, topic in enumerate(draw.sample(TOPICS, 4)):
        count = 0 if number == 1 and level else draw.randint(1, 3)
        texts = [f"We {verb} {what}." for verb, what in draw.sample(wishes, count)]
        items.append(Item(topic, texts))
    if level == 4:
        items[0].decisions.append("We start at once with what is agreed.")
        items[0].withdrawn.append("We start at once with what is agreed.")
    first = date(draw.choice((2021, 2022, 2023)), draw.randint(1, 11), 12)
    entries = [
        (task, draw.choice(people), (first + timedelta(days=draw.randint(2, 40))).isoformat())
        for task in draw.sample(TASKS, 6)
    ]
    entries.sort(key=lambda entry: entry[0], reverse=True)
    if level == 4:
        entries += [(entries[1][0], people[0], (first + timedelta(days=50)).isoformat())]
    return Meeting(f"{draw.choice(DEPARTMENTS)} meeting of {first.isoformat()}", people[:5], people[5:], items, entries)
