"""Reports on CSV files: a count, a table, then programs that are run on hidden files."""

from __future__ import annotations

import csv
import io
import random

from envwheel.api import Alternative, FileMap, Mutant
from envwheel_swe.family import Recipe, SweFamily, python, write_file
from envwheel_swe.naming import CITIES, FRUITS, person, rng
from envwheel_swe.repair import Fault, instruction, plant, program, reword, rewrite

ID = "csv_report"
STATUSES = ("paid", "open", "cancelled", "shipped", "returned")
PLACES = ("region", "area", "district", "depot")

PROGRAMS = {2: "summary", 3: "settle", 4: "ledger"}

WRONG: dict[int, tuple[tuple[str, str, str], ...]] = {
    2: (
        ("blanks_kept", 'row["region"].strip() or', 'row["region"] or'),
        ("case_matters", '.strip().lower() != "paid"', '.strip() != "paid"'),
        (
            "skips_unpaid_only",
            "            skipped += 1\n            continue\n",
            "            skipped += row['status'] == 'paid'\n            continue\n",
        ),
        ("no_unknown", 'row["region"].strip() or "unknown"', 'row["region"].strip()'),
    ),
    3: (
        ("version_as_text", '            version = int(row["version"])\n', '            version = row["version"]\n'),
        ("first_of_equal", "version >= orders", "version > orders"),
        ("record_numbers", "            start = reader.line_num + 1\n", "            start += 1\n"),
        ("rounds_half_up", '(Decimal("0.1"), ROUND_HALF_EVEN)', "(Decimal(\"0.1\"), 'ROUND_HALF_UP')"),
    ),
    4: (
        ("nearest_later_rate", "bisect_right(pairs, day, key", "1 + bisect_right(pairs[:-1], day, key"),
        (
            "key_of_rejected",
            "    value = convert(amount",
            '    if row["reference"] and (day, row["account"], row["reference"]) in seen:\n'
            '        return "duplicate", None\n    value = convert(amount',
        ),
        ("loose_groups", "[0-9]{{1,3}}({group}[0-9]{{3}})+", "[0-9]{{1,3}}({group}[0-9]+)+"),
        (
            "duplicates_by_file",
            '            reason, found = judge(row, source, config["base"], rates, seen)\n',
            '            reason, found = judge(row, source, config["base"], rates, seen if line > 2 else '
            "seen.clear() or seen)\n",
        ),
    ),
}
OTHER = {
    2: (
        "if not AMOUNT.fullmatch(amount):",
        'if not re.match(r"-?[0-9]+(\\.[0-9][0-9]?)?$", amount, re.ASCII) or "\\n" in amount:',
    ),
    3: ('version >= orders[row["id"]][0]', 'not version < orders[row["id"]][0]'),
    4: ("pairs = rates.get(currency, [])", "pairs = list(rates.get(currency, ()))"),
}


def orders(draw: random.Random, count: int) -> list[dict[str, str]]:
    """Orders whose notes mention the statuses too."""
    places = draw.sample(CITIES, 6)
    rows = []
    for number in range(1, count + 1):
        note = draw.choice(
            ("", f"was {draw.choice(STATUSES)}", f"not {draw.choice(STATUSES)} yet", draw.choice(FRUITS))
        )
        status = draw.choice((*STATUSES, "paid", "shipped", "unpaid"))
        row = {"id": f"{number:05d}", "customer": person(draw)[0], "region": draw.choice(places), "status": status}
        rows.append(row | {"note": note, "amount": str(draw.choice((10, 20, 25, 50, draw.randrange(1, 400))))})
    return rows


def to_csv(rows: list[dict[str, str]]) -> str:
    """Rows as CSV with a header line."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def file_task(level: int, draw: random.Random, words: dict[str, str]) -> Recipe:
    """Levels 0 and 1: the answer is a file."""
    place = words["region"]
    status, second = draw.sample(("paid", "shipped"), 2)
    rows = orders(draw, (40, 160)[level])
    rows = [{place if key == "region" else key: value for key, value in row.items()} for row in rows]
    read = "import csv\nrows = list(csv.DictReader(open('/app/orders.csv', encoding='utf-8')))\n"
    if level == 0:
        target = "/app/count.txt"
        solve = python(
            read + f"open('{target}', 'w').write(f'{{sum(row[\"status\"] == \"{status}\" for row in rows)}}\\n')"
        )
        mutants: tuple[Mutant, ...] = (
            Mutant("any_column", "counts lines that hold the word", f"grep -c {status} /app/orders.csv > {target}"),
            Mutant("all_rows", "counts every order", f"tail -n +2 /app/orders.csv | wc -l > {target}"),
        )
        others = (
            Alternative(
                "awk", "the same count with awk", f"awk -F, '$4 == \"{status}\"' /app/orders.csv | wc -l > {target}"
            ),
        )
    else:
        target = "/app/totals.csv"
        work = f"""sums = {{}}
for row in rows:
    if row["status"] in ("{status}", "{second}"):
        entry = sums.setdefault(row["{place}"], [0, 0])
        entry[0] += 1
        entry[1] += int(row["amount"])
lines = ["{place},orders,total"]
for name, (count, total) in sorted(sums.items(), key=lambda item: (-item[1][1], item[0])):
    lines.append(f"{{name}},{{count}},{{total}}")
open("{target}", "w").write("\\n".join(lines) + "\\n")
"""
        solve = python(read + work)
        awk = (
            f'( echo {place},orders,total; awk -F, \'$4 == "{status}" || $4 == "{second}" {{ n[$3]++; s[$3] += $6 }} '
            f'END {{ for (k in n) print k "," n[k] "," s[k] }}\' /app/orders.csv | LC_ALL=C sort -t, -k3,3nr -k1,1 '
            f") > {target}\n"
        )
        others = (Alternative("awk_sort", "the same table with awk and sort", awk),)
        mutants = (
            Mutant("text_order", "sorts totals as text", awk.replace("-k3,3nr", "-k3,3r")),
            Mutant("one_status", "forgets one status", awk.replace(f' || $4 == "{second}"', "")),
            Mutant("lowest_first", "sorts the wrong way", awk.replace("-k3,3nr", "-k3,3n")),
        )
    words |= {"zzstatus": status, "zzsecond": second}
    return Recipe(
        instruction=instruction(ID, str(level), words),
        artifacts=(target,),
        solve=solve,
        check="csv_file",
        expect={
            "rows": rows,
            "place": place,
            "statuses": [status] if level == 0 else [status, second],
            "target": target,
        },
        files={"orders.csv": to_csv(rows)},
        mutants=mutants,
        alternatives=others,
    )


def samples(level: int, draw: random.Random, words: dict[str, str]) -> FileMap:
    """Small input files to try a program with."""
    place = words["region"]
    if level == 2:
        rows = [{place if k == "region" else k: v for k, v in row.items()} for row in orders(draw, 12)]
        rows[3] |= {"note": 'said "later",\nthen paid', "amount": " 12.5 ", "status": "Paid"}
        rows[5] |= {"amount": "12,50"}
        return {"sample.csv": to_csv(rows)}
    if level == 3:
        rows = [
            {"id": f"A{n}", "version": "1", place: row["region"], "amount": row["amount"]}
            for n, row in enumerate(orders(draw, 10))
        ]
        rows.append(rows[0] | {"version": "2", "amount": "99.50"})
        refunds = [{"id": "A1", "amount": "1.25"}, {"id": "A2", "amount": "100000"}, {"id": "B9", "amount": "5"}]
        return {"orders.csv": to_csv(rows), "refunds.csv": to_csv(refunds)}
    return {f"sample/{name}": text for name, text in program(f"{ID}_sample").items()}


def program_task(level: int, draw: random.Random, words: dict[str, str]) -> Recipe:
    """Levels 2 to 4: the answer is a program."""
    name = PROGRAMS[level] + ".py"
    working = {name: program(ID, words)[name]}
    wrong = [Fault(id, name, right, text) for id, right, text in WRONG[level]]
    right = plant(working, [Fault("other", name, *(reword(text, words) for text in OTHER[level]))])
    faults = [Fault(f.id, name, reword(f.right, words), reword(f.wrong, words)) for f in wrong]
    return Recipe(
        instruction=instruction(ID, str(level), words),
        artifacts=(f"/app/{name}",),
        solve=write_file(f"/app/{name}", working[name]),
        check="csv_ledger" if level == 4 else "csv_program",
        expect={"level": level, "place": words["region"], "seed": f"{level}/{draw.random()}"},
        files=samples(level, draw, words),
        mutants=tuple(Mutant(f.id, f"the program does {f.id}", rewrite(working, plant(working, [f]))) for f in faults),
        alternatives=(
            Alternative("other_wording", "the same, written otherwise", write_file(f"/app/{name}", right[name])),
        ),
    )


def make(level: int, seed: int) -> Recipe:
    """Level 0: count rows; 1: a table; 2: one file in; 3: two files and rejects; 4: a folder of dialects."""
    draw = rng(ID, level, seed)
    words = {"region": draw.choice(PLACES)}
    return file_task(level, draw, words) if level < 2 else program_task(level, draw, words)


FAMILY = SweFamily.of(ID, "Report on CSV files", ("data", "text"), make)
