"""Compares results with a pristine slow and a pristine fast program, and processor time with the fast one's."""

import json
import resource
import sys
from pathlib import Path

sys.path.insert(0, "/tests/kit")
import grade

EXPECT = json.loads(Path("/tests/expect.json").read_text())
SMALL = 150
# Runs as nobody. Prints the results of all calls, and whether any of them changed its arguments.
DRIVER = """
import copy, importlib.util, json, sys
spec = importlib.util.spec_from_file_location("module", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
what = getattr(module, sys.argv[2])
results, changed = [], False
for given in json.load(sys.stdin):
    if sys.argv[3] == "methods":
        thing = what()
        results.append([getattr(thing, name)(*arguments) for name, *arguments in given])
    else:
        kept = copy.deepcopy(given)
        results.append(what(*given))
        changed = changed or kept != given
json.dump([results, changed], sys.stdout)
"""


def draw(rng, size, large):
    """Arguments for one call (for a class: a list of method calls)."""
    task, top = EXPECT["task"], 10**9 if large else rng.choice([3, 8, 50])
    numbers = [rng.randrange(-top, top) for _ in range(size)]
    if task == "common":
        return [numbers, [rng.randrange(-top, top) for _ in range(size)] + numbers[: size // 50]]
    if task == "pairs":
        return [numbers, rng.randrange(-top, top)]
    if task == "anagrams":
        letters = "abcdefghijklmnop" if large else "abA"
        return [["".join(rng.choice(letters) for _ in range(9 if large else rng.randint(0, 4))) for _ in range(size)]]
    if task == "peaks":
        return [sorted(numbers, reverse=True), 20_000] if large else [numbers, rng.randint(1, 6)]
    if task == "covered":
        step = 50 * size if large else 30
        starts = [rng.randrange(step) for _ in range(size)]
        return [[[start, start + rng.randrange(-1, 5)] for start in starts]]
    if task == "longest" and large:
        return [[at * 3 + rng.randrange(-size // 4, size // 4) for at in range(size)]]
    if EXPECT["methods"]:
        return calls(rng, size, large)
    return [numbers]


def calls(rng, size, large):
    found = []
    if EXPECT["task"] == "ranking":
        scores = 1_000_000 if large else rng.choice([2, 5, 1_000_000])
        for at in range(size):
            player = f"p{at if at < size // 3 and large else rng.randrange(max(1, size // 3))}"
            kinds = [["set", player, rng.randrange(scores)]] if at < size // 3 else []
            kinds += [
                ["drop", player],
                ["set", player, rng.choice([0, scores - 1, rng.randrange(scores)])],
                ["at_least", rng.randrange(scores)],
            ]
            kinds += [["rank", player]] * 3
            found.append(kinds[0] if at < size // 3 and large else rng.choice(kinds))
        return found
    top = 10**9 if large else rng.choice([3, 10, 1000])
    for at in range(size):
        number = rng.randrange(-top, top)
        known = [call[1] for call in found[-50:] if call[0] == "add"]
        kinds = [["add", number], ["middle"], ["spread"], ["remove", rng.choice([*known, number])]]
        found.append(kinds[0] if at < size // 2 and large else rng.choice([kinds[0], *kinds]))
    return found


SIZES = {"common": 80_000, "unique": 80_000, "pairs": 60_000, "anagrams": 20_000, "peaks": 200_000, "covered": 60_000,
         "overtaken": 60_000, "longest": 40_000, "ranking": 60_000, "middle": 60_000}  # fmt: skip


def run(text, jobs, seconds=60):
    """Results and processor seconds of the program `text` on all jobs. Raises Failed."""
    cwd = grade.scratch({"driver.py": DRIVER, "module.py": text})
    kind = "methods" if EXPECT["methods"] else "function"
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = f'ulimit -t {int(seconds) + 1}; exec /usr/bin/python3 -B driver.py module.py "$1" "$2"'
    argv = ["/bin/bash", "-c", line, "x", EXPECT["name"], kind]
    ran = grade.run(argv, stdin=json.dumps(jobs).encode(), cwd=cwd, timeout=90, output_limit=20_000_000)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    grade.need(ran.code not in (None, -9, -24, 137, 152), f"stopped after {spent:.0f} seconds of processor time")
    grade.need(ran.code == 0, f"it ended with status {ran.code}: {ran.err[-200:]!r}")
    try:
        results, changed = json.loads(ran.out)
    except (ValueError, TypeError, RecursionError):
        raise grade.Failed("it printed something") from None
    grade.need(not changed, "it changes its arguments")
    return results, spent


def main():
    g = grade.Grade()
    rng = grade.rng(EXPECT["seed"])
    text = grade.read_text(EXPECT["target"], 100_000)
    g.check("is a plain program", text is not None, f"{EXPECT['target']} is no plain text file")
    slow, fast = Path("/tests/slow.py").read_text(), Path("/tests/fast.py").read_text()
    small = [draw(rng, rng.randint(0, 12 if at < SMALL - 5 else 200), False) for at in range(SMALL)] if text else []
    right = bool(text)
    with g.case("small inputs"):
        right = False
        grade.need(text, "nothing to run")
        got, _ = run(text, small)
        wanted, _ = run(slow, small)
        odd = next((at for at in range(SMALL) if got[at] != wanted[at]), None) if len(got) == SMALL else 0
        grade.need(odd is None, f"wrong for {str(small[odd or 0])[:150]}: {str(got[odd or 0])[:80]}")
        right = True
    with g.case("large inputs"):
        grade.need(right, "not tried, since the small ones are wrong")
        large = [draw(rng, SIZES[EXPECT["task"]], True)]
        wanted, base = run(fast, large)
        got, spent = run(text, large, 10 * base + 2)
        grade.need(got == wanted, "wrong for a large input")
        grade.need(spent <= 10 * base + 2, f"{spent:.1f} seconds of processor time, a good solution needs {base:.1f}")
    g.finish()


main()
