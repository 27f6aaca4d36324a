"""Leaked secrets to remove, and a program with holes: traversal, injection, unsafe deserialisation, weak tokens."""

from __future__ import annotations

import random
import shlex
from typing import Any

from envwheel.api import Alternative, Limits, Mutant
from envwheel_swe.families.secret_faults import CODE, PATHS, TOKENS
from envwheel_swe.family import Recipe, SweFamily, python
from envwheel_swe.naming import FRUITS, HOSTS, PRODUCTS, day, host, person, rng, words
from envwheel_swe.repair import Fault, instruction, program, repair
from envwheel_swe.trees import file, tree

ID = "secret_cleanup"
LEFT_BEHIND = ("passwords.txt", "old-logins.txt", "credentials.csv", "root-password", "accounts.bak")
KEYS = ("password", "api_token", "db_secret", "mail_password")
MARKS = ("tok", "key", "acc", "live")


def project(draw: random.Random, name: str) -> dict[str, str]:
    """A small folder of a project's."""
    people = "".join(f"{full} <{mail}>\n" for full, mail in (person(draw) for _ in range(3)))
    settings = f"name = {name}\nhost = {host(draw)}.example.org\nport = {draw.randrange(1024, 9999)}\n"
    settings += f"since = {day(draw)}\n"
    return {
        "README.md": f"# {name}\n\n{words(draw, 9).capitalize()}.\n\nAsk for the password at the desk.\n",
        "AUTHORS": people,
        "settings.ini": settings,
        "docs/passwords.md": f"# Passwords\n\nHow to choose one: {words(draw, 6)}.\n",
        f"src/{draw.choice(FRUITS)}.py": f'"""{words(draw, 5).capitalize()}."""\n\nLIMIT = {draw.randrange(9, 99)}\n',
    }


def one_secret(draw: random.Random) -> Recipe:
    """Level 0: one file, or one line, has to go."""
    name = draw.choice(PRODUCTS)
    files = project(draw, name)
    kept = dict(files)
    if draw.random() < 0.5:
        secret, key, kind = draw.choice(LEFT_BEHIND), "", "0file"
        files[secret] = "".join(f"{draw.choice(HOSTS)}: {draw.randrange(10**9)}\n" for _ in range(4))
        solve = f"rm /app/{name}/{secret}"
        mutants: tuple[Mutant, ...] = (
            Mutant("emptied", "the file is still there", f"touch /app/{name}/{secret}"),
            Mutant("renamed", "the file has another name", f"cp /app/{name}/AUTHORS /app/{name}/{secret}.old"),
            Mutant("too_much", "another file is gone too", f"rm /app/{name}/docs/passwords.md"),
        )
        other = Alternative("python", "the same by Python", python(f"import os\nos.unlink('/app/{name}/{secret}')"))
    else:
        secret, key, kind = "settings.ini", draw.choice(KEYS), "0line"
        lines = files[secret].splitlines(keepends=True)
        lines.insert(draw.randrange(1, len(lines)), f"{key} = {draw.getrandbits(60):015x}\n")
        files[secret] = "".join(lines)
        path = f"/app/{name}/{secret}"
        solve = f"sed -i '/^{key}/d' {path}"
        mutants = (
            Mutant("value_only", "the name of the secret is still there", f"echo '{key} =' >> {path}"),
            Mutant("commented", "the secret is a comment now", f"echo '# {lines[1].strip()}' >> {path}"),
            Mutant("line_more", "another line is gone too", f"sed -i '$d' {path}"),
            Mutant("backup", "the secret is in a copy", f"cp {path} {path}.bak"),
        )
        keep = f"lines = [line for line in open('{path}') if not line.startswith('{key}')]\n"
        other = Alternative("python", "the same by Python", python(keep + f"open('{path}', 'w').writelines(lines)"))
    return Recipe(
        instruction=instruction(ID, kind, {"zzname": name, "zzsecret": secret, "zzkey": key}),
        artifacts=(f"/app/{name}",),
        solve=solve,
        check="tree",
        expect=tree(f"/app/{name}", {path: file(text) for path, text in kept.items()}, exact=True),
        files={f"{name}/{path}": text for path, text in files.items()},
        mutants=mutants,
        alternatives=(other,),
        knobs={"secret": secret, "name": name, "key": key},
    )


def token_texts(draw: random.Random, mark: str) -> tuple[str, str]:
    """A text with tokens and with what only looks like one, and the text as it has to become."""

    def digits(count: int) -> str:
        return "".join(draw.choice("0123456789abcdef") for _ in range(count))

    before, after = "", ""
    for _ in range(draw.randrange(3, 7)):
        token = f"{mark}_{digits(24)}"
        short = token[:-1]
        near = draw.choice((f"{token}7", short, f"{short}G", f"my{token}", f"{token}_x", token.replace("_", "-")))
        shape = draw.choice(("auth={}", "{},{}", "'{}' and ({})", "https://{}@example.org/{}", "# {}", "-{}-"))
        places = [draw.choice((token, token, near)) for _ in range(shape.count("{}"))]
        before += shape.format(*places) + "\n"
        after += shape.format(*("REDACTED" if place == token else place for place in places)) + "\n"
    whole = f"{mark}_{digits(24)}"
    return before + f"{whole} {whole}\n", after + "REDACTED REDACTED\n"


def tokens_and_modes(draw: random.Random) -> Recipe:
    """Level 1: tokens all over a tree, and modes of key files."""
    name, mark = draw.choice(PRODUCTS), draw.choice(MARKS)
    files: dict[str, str] = {f"{name}/{path}": text for path, text in project(draw, name).items()}
    entries: dict[str, dict[str, Any]] = {path[len(name) + 1 :]: file(text, mode="644") for path, text in files.items()}
    for path in ("deploy.sh", "docs/how to log in.md", ".env", ".ci/steps.yml", "src/client.py", "data/export.csv"):
        before, after = token_texts(draw, mark)
        files[f"{name}/{path}"] = before
        entries[path] = file(after, mode="644")
    keys = ["deploy.key", ".ci/sign.key", f"data/{draw.choice(HOSTS)} 1.key", "src/key.keys", "docs/key"]
    for path in keys:
        text = f"-----BEGIN SAMPLE-----\n{draw.getrandbits(200):050x}\n-----END SAMPLE-----\n"
        files[f"{name}/{path}"] = text
        entries[path] = file(text, mode="600" if path.endswith(".key") else "644")
    top = f"/app/{name}"
    redact = f"-type f -exec sed -E -i 's/\\b{mark}_[0-9a-f]{{24}}\\b/REDACTED/g' {{}} +"
    lock = f"find {top} -type f -name '*.key' -exec chmod 600 {{}} +\n"

    def mutant(id: str, why: str, old: str, new: str) -> Mutant:
        """The reference with a fault, on the folder as it was: the old tokens are not to be had any more."""
        pairs = [(shlex.quote(text), shlex.quote(f"/app/{path}")) for path, text in files.items()]
        restored = "".join(f"printf %s {text} > {path}\n" for text, path in pairs)
        work = (f"find {top} {redact}\n" + lock).replace(old, new)
        return Mutant(id, why, restored + work)

    code = (
        "import os, pathlib, re\n"
        f"for path in pathlib.Path('{top}').rglob('*'):\n    if path.is_file():\n        text = path.read_text()\n"
        f"        new = re.sub(r'(?<!\\w){mark}_[0-9a-f]{{24}}(?!\\w)', 'REDACTED', text)\n"
        "        if new != text:\n            path.write_text(new)\n"
        "        if path.name.endswith('.key'):\n            os.chmod(path, 0o600)\n"
    )
    return Recipe(
        instruction=instruction(ID, "1", {"zzname": name, "zzmark": mark}),
        artifacts=(top,),
        solve=f"find {top} {redact}\n{lock}",
        check="tree",
        expect=tree(top, entries, exact=True),
        files=files,
        setup="find . -type f -exec chmod 644 {} +\n",
        mutants=(
            mutant("part_of_a_word", "takes longer words for tokens", "\\b", ""),
            mutant("first_of_a_line", "replaces one token a line", "REDACTED/g", "REDACTED/"),
            mutant("hidden_left", "leaves hidden files out", "f -exec sed", "f -not -path '*/.*' -exec sed"),
            Mutant("keys_open", "the keys can be read by the group", lock.replace("600", "640")),
        ),
        alternatives=(Alternative("python", "the same by Python", python(code)),),
        knobs={"name": name, "mark": mark},
    )


def choose(draw: random.Random, level: int) -> list[Fault]:
    """One hole; three in different places; six."""
    places = [PATHS, CODE, TOKENS]
    chosen: list[Fault] = []
    for table in {2: [sum(places, ())], 3: places, 4: places * 2}[level]:
        chosen.append(draw.choice([fault for fault in table if fault not in chosen]))
    return chosen


def holes(level: int, draw: random.Random) -> Recipe:
    """Levels 2 to 4: a program with holes."""
    name, secret = draw.choice(PRODUCTS), f"{draw.choice(FRUITS)}-{draw.randrange(1000, 9999)}"
    given = {"depot": name, "zzsecret": secret}
    faults = choose(draw, level)
    working = {f"{name}/{path}": text for path, text in program(f"{ID}/depot", given).items()}
    result = repair(working, faults, given)
    told = "".join(f"- {fault.symptom}\n" for fault in faults).rstrip()
    return Recipe(
        instruction=instruction(ID, str(level), {**given, "zztold": told}),
        artifacts=(f"/app/{name}",),
        solve=result.solve,
        check="depot",
        expect={"folder": f"/app/{name}", "package": name, "secret": secret, "seed": f"{level}/{name}"},
        files=result.broken,
        mutants=result.mutants,
        alternatives=result.alternatives,
        knobs={"faults": [fault.id for fault in faults], "name": name},
        limits=Limits(verifier_timeout_s=300.0),
    )


def make(level: int, seed: int) -> Recipe:
    """Level 0: a file or a line; 1: tokens and modes; 2: one hole; 3: three; 4: six, and no report."""
    draw = rng(ID, level, seed)
    if level == 0:
        return one_secret(draw)
    return tokens_and_modes(draw) if level == 1 else holes(level, draw)


FAMILY = SweFamily.of(ID, "Remove secrets and close holes", ("security", "debugging"), make)
