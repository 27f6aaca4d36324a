"""Functions and classes that are right but quadratic, to be made fast: processor time decides."""

from __future__ import annotations

from dataclasses import dataclass

from envwheel.api import Alternative, Mutant
from envwheel_swe.family import Recipe, SweFamily, swap, write_file
from envwheel_swe.naming import PRODUCTS, rng
from envwheel_swe.repair import instruction, program

ID = "perf_rewrite"


@dataclass(frozen=True, slots=True)
class Task:
    """One slow program of kit/programs/perf_rewrite.

    `names` are what its function or class may be called; `wrong` are faults of the fast program (old, new); `other` is
    another fast way (old, new).
    """

    id: str
    complaint: str
    size: str
    names: tuple[str, ...]
    wrong: tuple[tuple[str, str, str], ...]
    other: tuple[str, str]
    methods: bool = False


TASKS: tuple[tuple[Task, ...], ...] = (
    (
        Task(
            "common",
            "two lists of 80,000 numbers take minutes",
            "two lists of 80,000 numbers",
            ("common", "shared_numbers", "known_only", "in_both"),
            (
                ("loses_order", "[number for number in left if number in known]", "sorted(set(left) & known)"),
                (
                    "loses_repeats",
                    "[number for number in left if number in known]",
                    "list(dict.fromkeys(n for n in left if n in known))",
                ),
            ),
            ("known = set(right)", "known = dict.fromkeys(right)"),
        ),
        Task(
            "unique",
            "a list of 80,000 numbers takes minutes",
            "80,000 numbers",
            ("unique", "distinct", "without_repeats", "first_ones"),
            (
                ("loses_order", "list(dict.fromkeys(numbers))", "sorted(set(numbers))"),
                (
                    "neighbours_only",
                    "list(dict.fromkeys(numbers))",
                    "[n for at, n in enumerate(numbers) if at == 0 or n != numbers[at - 1]]",
                ),
            ),
            ("list(dict.fromkeys(numbers))", "[*{number: None for number in numbers}]"),
        ),
    ),
    (
        Task(
            "pairs",
            "60,000 numbers take several minutes",
            "60,000 numbers",
            ("pairs", "count_pairs", "matching_pairs", "pair_count"),
            (
                ("distinct_only", "seen.get(number, 0) + 1", "1"),
                (
                    "number_with_itself",
                    "        count += seen.get(total - number, 0)\n        seen[number] = seen.get(number, 0) + 1\n",
                    "        seen[number] = seen.get(number, 0) + 1\n        count += seen.get(total - number, 0)\n",
                ),
            ),
            ("seen[number] = seen.get(number, 0) + 1", "seen |= {number: 1 + seen.get(number, 0)}"),
        ),
        Task(
            "anagrams",
            "20,000 words take minutes",
            "20,000 words",
            ("anagrams", "same_letters", "letter_groups", "word_families"),
            (
                ("letters_as_set", '"".join(sorted(word))', '"".join(sorted(set(word)))'),
                ("capitals_lost", '"".join(sorted(word))', '"".join(sorted(word.lower()))'),
                ("sorted_groups", "list(groups.values())", "sorted(groups.values())"),
            ),
            ('groups.setdefault("".join(sorted(word)), [])', "groups.setdefault(tuple(sorted(word)), [])"),
        ),
    ),
    (
        Task(
            "peaks",
            "200,000 numbers with a width of 20,000 take minutes",
            "200,000 numbers, windows of 20,000",
            ("peaks", "window_highs", "rolling_max", "high_marks"),
            (
                ("window_too_long", "if falling[0] <= at - width:", "if falling[0] < at - width:"),
                ("keeps_lowest", "numbers[falling[-1]] <= number", "numbers[falling[-1]] >= number"),
                ("starts_late", "if at >= width - 1:", "if at >= width:"),
            ),
            ("numbers[falling[-1]] <= number", "numbers[falling[-1]] < number"),
        ),
        Task(
            "covered",
            "60,000 intervals take minutes",
            "60,000 intervals",
            ("covered", "free_gaps", "gaps_between", "open_times"),
            (
                ("nested_forgotten", "max(reached, end)", "end"),
                ("empty_intervals", "pair for pair in intervals if pair[1] > pair[0]", "pair for pair in intervals"),
                ("touching_gap", "start > reached", "start >= reached"),
            ),
            ("sorted(pair for pair in intervals if pair[1] > pair[0])", "sorted(p for p in intervals if p[0] < p[1])"),
        ),
    ),
    (
        Task(
            "overtaken",
            "60,000 numbers take minutes",
            "60,000 numbers",
            ("overtaken", "smaller_after", "later_and_less", "count_behind"),
            (
                ("equal_counts", "order[number] - 1, 0", "order[number], 0"),
                ("wrong_side", "reversed(numbers)", "numbers"),
                ("not_turned", "found[::-1]", "found"),
            ),
            ("sorted(set(numbers))", "sorted({number: 0 for number in numbers})"),
        ),
        Task(
            "longest",
            "40,000 numbers take minutes",
            "40,000 numbers",
            ("longest", "rising_lengths", "best_series", "longest_rise"),
            (
                ("not_strict", "bisect_left(tails, number)", "bisect_left(tails, number + 1)"),
                (
                    "neighbours",
                    "        at = bisect_left(tails, number)\n",
                    "        at = len(tails) if not tails or number > tails[-1] else 0\n",
                ),
                ("never_lower", "tails[at : at + 1] = [number]", "tails[at:] = [number]"),
            ),
            ("tails[at : at + 1] = [number]", "tails[at:] = [number, *tails[at + 1 : at + 1]] + tails[at + 1 :]"),
        ),
    ),
    (
        Task(
            "ranking",
            "60,000 calls take minutes when half of them ask",
            "60,000 calls, 20,000 players",
            ("Ranking", "Ladder", "Standings", "Scoreboard"),
            (
                ("ties_count", "self.at_least(self.scores[player] + 1)", "self.at_least(self.scores[player])"),
                ("old_score_stays", "        self.drop(player)\n", ""),
                ("zero_not_dropped", "if score is not None:", "if score:"),
            ),
            ("1 << 20", "1000001"),
            True,
        ),
        Task(
            "middle",
            "60,000 calls take minutes",
            "60,000 calls, up to 30,000 numbers",
            ("Middle", "MedianBox", "Midpoint", "CentreOf"),
            (
                ("upper_middle", "(len(self.numbers) - 1) // 2", "len(self.numbers) // 2"),
                (
                    "removes_all",
                    "            del self.numbers[at]\n",
                    "            self.numbers = [n for n in self.numbers if n != number]\n",
                ),
                ("removes_neighbour", "if self.numbers[at : at + 1] == [number]:", "if at < len(self.numbers):"),
            ),
            ("insort(self.numbers, number)", "self.numbers.insert(bisect_left(self.numbers, number), number)"),
            True,
        ),
    ),
)


def make(level: int, seed: int) -> Recipe:
    """Levels 0 and 1: one loop too many; 2 and 3: an algorithm is needed; 4: a data structure."""
    draw = rng(ID, level, seed)
    task = draw.choice(TASKS[level])
    name, module = (
        draw.choice(task.names),
        draw.choice(PRODUCTS) + "_" + draw.choice(("tools", "core", "numbers", "lib")),
    )
    texts = {kind: swap_name(text, task, name) for kind, text in program(f"{ID}/{task.id}").items()}
    target = f"/app/{module}.py"
    fast, slow = texts["fast.py"], texts["slow.py"]
    words = {"zzmodule": module, "zzcomplaint": task.complaint, "zzsize": task.size}
    kept = f"The class is still called `{name}`" if task.methods else f"The function is still called `{name}`"
    mutants = [
        Mutant(id, f"fast, with the fault {id}", write_file(target, swap(fast, old, new)))
        for id, old, new in task.wrong
    ]
    return Recipe(
        instruction=instruction(ID, "task", words | {"zzkeep": kept}),
        artifacts=(target,),
        solve=write_file(target, fast),
        check="perf",
        expect={"target": target, "name": name, "task": task.id, "seed": f"{level}/{seed}", "methods": task.methods},
        files={f"{module}.py": slow},
        tests={"slow.py": slow + "\n# the present state\n", "fast.py": fast},
        mutants=(*mutants, Mutant("still_slow", "the present state", write_file(target, slow))),
        alternatives=(Alternative("other_way", "fast in another way", write_file(target, swap(fast, *task.other))),),
        knobs={"task": task.id},
    )


def swap_name(text: str, task: Task, name: str) -> str:
    """The program with its function or class called `name`."""
    old = task.names[0]
    return text.replace(f"def {old}(", f"def {name}(").replace(f"class {old}:", f"class {name}:")


FAMILY = SweFamily.of(ID, "Make a slow program fast", ("performance",), make)
