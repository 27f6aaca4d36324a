"""Configuration files: from one changed setting to a program that migrates settings by rules."""

from __future__ import annotations

import json
import random
from typing import Any

from envwheel.api import Alternative, Mutant
from envwheel_swe import naming
from envwheel_swe.families.config_migrate_program import resolver
from envwheel_swe.family import Recipe, SweFamily, mutated, python

ID = "config_migrate"


def make(level: int, seed: int) -> Recipe:
    """One environment of this family."""
    return (one_setting, ini_to_json, env_to_toml, new_schema, resolver)[level](naming.rng(ID, level, seed))


def one_setting(draw: random.Random) -> Recipe:
    """Level 0: one setting gets another value."""
    name = f"{draw.choice(naming.PRODUCTS)}.conf"
    key = draw.choice(("port", "workers", "timeout", "retries"))
    old, new = draw.sample(range(1024, 9999), 2)
    host, backup = naming.host(draw), draw.randint(10, 99)
    text = f"host = {host}\n{key} = {old}\nlog_level = info\nbackup_{key} = {old}{backup}\n"
    want = text.replace(f"\n{key} = {old}\n", f"\n{key} = {new}\n")
    phrase = draw.choice(
        (
            "Change {key} from {old} to {new} in the file /app/{name}.",
            "In /app/{name} change the {key} from {old} to {new}.",
        )
    )
    return Recipe(
        instruction=phrase.format(key=key, old=old, new=new, name=name),
        artifacts=(f"/app/{name}",),
        files={name: text},
        solve=f"sed -i 's/^{key} = {old}$/{key} = {new}/' /app/{name}",
        check="outputs",
        expect={"outputs": {f"/app/{name}": {"as": "text", "value": want}}},
        mutants=(
            Mutant("both", "another setting has changed too", f"sed -i 's/{old}/{new}/' /app/{name}"),
            Mutant("only", "the other settings are gone", f"echo '{key} = {new}' > /app/{name}"),
            Mutant("appended", "the old line is still there", f"sed -i '2i {key} = {old}' /app/{name}"),
        ),
        alternatives=(
            Alternative("python", "in Python", python(
                f"p = '/app/{name}'\ns = open(p).read()\n"
                f"open(p, 'w').write(s.replace('\\n{key} = {old}\\n', '\\n{key} = {new}\\n'))")),
        ),
        skills=("services", "text"),
    )  # fmt: skip


INI_TO_JSON = """
import configparser
import json
import re

ini = configparser.ConfigParser(interpolation=None, inline_comment_prefixes=None)
ini.optionxform = str
with open("/app/settings.ini", encoding="utf-8") as file:
    ini.read_file(file)


def typed(text):
    if text in ("yes", "no"):
        return text == "yes"
    return int(text) if re.fullmatch("-?(0|[1-9][0-9]*)", text) else text


data = {name: {key: typed(value) for key, value in ini[name].items()} for name in ini.sections()}
with open("/app/settings.json", "w", encoding="utf-8") as file:
    json.dump(data, file, indent=2)
"""


def ini_to_json(draw: random.Random) -> Recipe:
    """Level 1: an INI file becomes JSON with types."""
    data: dict[str, dict[str, Any]] = {}
    lines = ["# settings of the service", ""]
    for section in draw.sample(naming.FOLDERS, 4):
        data[section] = {}
        lines.append(f"[{section}]")
        for key in draw.sample(naming.NOUNS, 5):
            text, value = draw.choice((
                ("yes", True), ("no", False), ("Yes", "Yes"), ("007", "007"), ("1.5", "1.5"), ("0", 0),
                ("-12", -12), ("8443", 8443), ("a = b; c", "a = b; c"), ("%(home)s/x", "%(home)s/x"),
            ))  # fmt: skip
            key = key.capitalize() if draw.random() < 0.3 else key
            lines += [f"; {key}"] * (draw.random() < 0.2) + [f"{key}{draw.choice((' = ', '='))}{text}"]
            data[section][key] = value
        lines.append("")
    first = next(iter(data))
    data[first] |= {"code": "0042", "enabled": True, "Limit": -7}
    lines[3:3] = ["code = 0042", "enabled = yes", "Limit = -7"]
    return Recipe(
        instruction="""
Convert /app/settings.ini to /app/settings.json: one JSON object with an object for each section, which holds the
section's keys and values.

Keys keep their capitals. The value is everything after the first `=`, without blanks around it; blanks around the key
do not count either. `yes` and `no` (exactly so) become true and false. Whole numbers in decimal, perhaps with a
minus, without leading zeros, become JSON numbers. Everything else becomes a text, with nothing in it replaced. Lines
that start with `#` or `;` are comments.
""",
        artifacts=("/app/settings.json",),
        files={"settings.ini": "\n".join(lines)},
        solve=python(INI_TO_JSON),
        check="outputs",
        expect={"outputs": {"/app/settings.json": {"as": "json", "value": data}}},
        mutants=mutated(INI_TO_JSON, python, (
            ("small_keys", "keys lose their capitals", "ini.optionxform = str", "pass"),
            ("leading_zeros", "0042 becomes 42", "-?(0|[1-9][0-9]*)", "-?[0-9]+"),
            ("all_texts", "numbers stay texts", "data = {name: {key: typed(value)", "data = {name: {key: value"),
            ("no_minus", "negative numbers stay texts", "-?(0", "(0"),
        )),
        skills=("services", "data"),
    )  # fmt: skip


ENV_TO_TOML = r"""
import json
import re

GROUPS = ("DB", "HTTP", "LOG")
found = {}
for line in open("/app/service.env", encoding="utf-8"):
    line = line.strip()
    if not line or line.startswith("#"):
        continue
    key, _, value = line.removeprefix("export ").partition("=")
    key, value = key.strip(), value.strip()
    if value[:1] == "'":
        value = value[1:value.index("'", 1)]
    elif value[:1] == '"':
        value = re.match(r'"((?:[^"\\]|\\.)*)"', value)[1]
        value = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], value)
    else:
        value = re.split(r"\s#", value)[0].strip()
    found[key] = value
lines, tables = [], {name: [] for name in GROUPS}


def shown(key, value):
    if key.endswith("_LIST"):
        return "[" + ", ".join(json.dumps(item.strip()) for item in value.split(",") if item.strip()) + "]"
    if value in ("true", "false") or re.fullmatch("0|[1-9][0-9]*", value):
        return value
    return json.dumps(value)


for key, value in found.items():
    if value == "":
        continue
    group, _, rest = key.partition("_")
    name = rest if group in GROUPS and rest else key
    text = f"{name.removesuffix('_LIST').lower()} = {shown(key, value)}"
    (tables[group] if group in GROUPS and rest else lines).append(text)
for group in GROUPS:
    if tables[group]:
        lines += [f"[{group.lower()}]", *tables[group]]
with open("/app/service.toml", "w", encoding="utf-8") as file:
    file.write("\n".join(lines) + "\n")
"""


def env_to_toml(draw: random.Random) -> Recipe:
    """Level 2: a .env file becomes TOML: groups, quotes, escapes, lists, repeated keys."""
    port, size = draw.randint(1025, 9999), draw.randint(2, 64)
    product, host = draw.choice(naming.PRODUCTS), naming.host(draw)
    one, two, three = draw.sample(naming.FRUITS, 3)
    flag = draw.choice(("true", "false"))
    lines = [
        "# environment of the service", "", f"DB_HOST={host}", f"export DB_PORT={port}", "DB_USER=nobody",
        f"DB_PASSWORD='p#{one}\"$HOME'", f'LOG_PREFIX="[{product}] \\"{two}\\"\\\\ #1"', f"LOG_LEVEL={one} # was {two}",
        f"  HTTP_ORIGINS_LIST = {one}.example.org, {two}.example.org,,{three}.example.org ", f"HTTP_KEEPALIVE={flag}",
        f"DB_POOL_SIZE={size}", f'MOTD="first\\nsecond {three}"', "LOG_FILE=", f"RELEASE=0{size}.10",
        "HTTPS=true", "LOGIN_URL='https://login.example.org/#top'", f"DB_USER={two}", 'HTTP_NAMES_LIST=""', "RATIO=1.5",
        f'LOG_TAG="{size}"', "EMPTY=''", "HTTP_OPEN_LIST=','",
    ]  # fmt: skip
    data: dict[str, Any] = {
        "db": {"host": host, "port": port, "user": two, "password": f'p#{one}"$HOME', "pool_size": size},
        "log": {"prefix": f'[{product}] "{two}"\\ #1', "level": one, "tag": size},
        "http": {"origins": [f"{n}.example.org" for n in (one, two, three)], "keepalive": flag == "true", "open": []},
        "motd": f"first\nsecond {three}", "release": f"0{size}.10", "https": True,
        "login_url": "https://login.example.org/#top", "ratio": "1.5",
    }  # fmt: skip
    return Recipe(
        instruction=r"""
Convert /app/service.env to the TOML file /app/service.toml.

- Lines are `KEY=VALUE`, perhaps with `export ` in front and blanks around KEY and VALUE. Empty lines and lines that
  start with `#` are skipped.
- A value in single quotes is taken as it is. In double quotes `\n` is a line break, and a backslash before any other
  character stands for that character. A value without quotes ends before the first `#` that follows a blank, and
  blanks around it do not count. What follows a closing quote does not count.
- When a key is there several times, the last line holds. Keys whose value is empty are left out.
- Keys that start with `DB_`, `HTTP_` or `LOG_` go into the tables `db`, `http` and `log`, without that prefix; all
  others stay at the top. All keys are written in small letters.
- A key that ends in `_LIST` becomes an array of texts, without `_LIST` in its name: the value is split at commas,
  blanks around the items are dropped, empty items are left out (the array may be empty). The values `true` and
  `false` become booleans, whole numbers without sign and leading zeros become integers, however they were quoted. All
  else are strings.
""",
        artifacts=("/app/service.toml",),
        files={"service.env": "\n".join(lines) + "\n"},
        solve=python(ENV_TO_TOML),
        check="outputs",
        expect={"outputs": {"/app/service.toml": {"as": "toml", "value": data}}},
        mutants=mutated(ENV_TO_TOML, python, (
            ("comments", "a comment belongs to the value", 're.split(r"\\s#", value)[0].strip()', "value"),
            ("first_holds", "the first of equal keys", "found[key] = value", "found.setdefault(key, value)"),
            ("empty_kept", "empty values become empty strings", 'if value == "":', "if False:"),
            ("prefix_loose", "HTTPS and LOGIN_URL are cut too", 'group, _, rest = key.partition("_")',
             'group = next((g for g in GROUPS if key.startswith(g)), ""); rest = key[len(group):].strip("_")'),
        )),
        skills=("services", "data"),
    )  # fmt: skip


NEW_SCHEMA = """
import glob
import json
import os
import re

UNITS = {"ms": 1, "s": 1000, "m": 60000, "h": 3600000}
with open("/app/old/defaults.json", encoding="utf-8") as file:
    defaults = json.load(file)
problems = []
os.makedirs("/app/new", exist_ok=True)


def merged(base, own):
    result = dict(base)
    for key, value in own.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = merged(result[key], value) if both else value
    return result


def milliseconds(text):
    match = re.fullmatch("([0-9]+)(ms|s|m|h)", text)
    return int(match[1]) * UNITS[match[2]] if match else None


for path in sorted(glob.glob("/app/old/services/*.json")):
    name = os.path.basename(path)[:-5]
    with open(path, encoding="utf-8") as file:
        old = merged(defaults, json.load(file))
    new = {"version": 2, "name": name}
    host, _, port = old["listen"].rpartition(":")
    new["listen"] = {"host": host.strip("[]") or "0.0.0.0", "port": int(port)}
    limits = {}
    for key, value in old.get("limits", {}).items():
        if value is None:
            continue
        if key.endswith("_timeout"):
            time = milliseconds(value)
            if time is None:
                problems.append((name, "limits." + key))
            else:
                limits[key + "_ms"] = time
        else:
            limits[key] = value
    new["limits"] = limits
    new["routes"] = [
        {"path": route, "target": target, "public": not route.startswith("/internal")}
        for route, target in sorted(old.get("routes", {}).items())
    ]
    new["features"] = sorted(key for key, on in old.get("features", {}).items() if on is True)
    known = {"listen", "limits", "routes", "features", "debug"}
    problems += [(name, key) for key in old if key not in known]
    with open(f"/app/new/{name}.json", "w", encoding="utf-8") as file:
        json.dump(new, file, indent=2)
with open("/app/new/problems.txt", "w", encoding="utf-8") as file:
    file.writelines(f"{name} {key}\\n" for name, key in sorted(problems))
"""


def new_schema(draw: random.Random) -> Recipe:
    """Level 3: a folder of service settings with common defaults moves to a new schema."""
    defaults = {
        "listen": "127.0.0.1:8000", "debug": False,
        "limits": {"read_timeout": "30s", "write_timeout": "2m", "connections": 100},
        "features": {"metrics": True, "tracing": False}, "routes": {"/health": "internal-health"},
    }  # fmt: skip
    files: dict[str, str] = {"old/defaults.json": json.dumps(defaults, indent=1)}
    outputs: dict[str, Any] = {}
    problems = []
    for number, name in enumerate(draw.sample(naming.PRODUCTS, 5)):
        old: dict[str, Any] = {"limits": {}, "features": {}, "routes": {}}
        limits: dict[str, Any] = {"read_timeout_ms": 30_000, "write_timeout_ms": 120_000, "connections": 100}
        listen = {"host": "127.0.0.1", "port": 8000}
        if number != 1:
            host, port = draw.choice((naming.address(draw), "", "[::1]", naming.host(draw))), draw.randint(1025, 9999)
            old["listen"], listen = f"{host}:{port}", {"host": host.strip("[]") or "0.0.0.0", "port": port}
        amount, unit = draw.randint(1, 90), draw.choice(("ms", "s", "m", "h"))
        old["limits"]["idle_timeout"] = f"{amount}{unit}"
        limits["idle_timeout_ms"] = amount * {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}[unit]
        if number % 2 == 0:
            old["limits"] |= {"read_timeout": None, "connections": amount, "bad_timeout": f"{amount} sec"}
            del limits["read_timeout_ms"]
            limits["connections"] = amount
            problems.append(f"{name} limits.bad_timeout\n")
        routes = {"/health": "internal-health"}
        routes |= {f"/{draw.choice(('internal', 'api', 'internals'))}/{noun}": f"{noun}-v{number}" for noun in
                   draw.sample(naming.NOUNS, 3)}  # fmt: skip
        old["routes"] = dict(sorted(routes.items(), reverse=True)[:-1]) if number == 2 else routes
        features = draw.sample(naming.FRUITS, 3)
        old["features"] = {features[0]: True, features[1]: False, features[2]: "yes", "metrics": number != 3}
        if number in (0, 4):
            old["owner"] = naming.person(draw)[1]
            problems.append(f"{name} owner\n")
        files[f"old/services/{name}.json"] = json.dumps(old, indent=1)
        everything = defaults["routes"] | old["routes"]
        outputs[f"/app/new/{name}.json"] = {"as": "json", "value": {
            "version": 2, "name": name, "listen": listen, "limits": limits,
            "routes": [{"path": r, "target": everything[r], "public": r[:9] != "/internal"}
                       for r in sorted(everything)],
            "features": sorted([features[0], *(["metrics"] if number != 3 else [])]),
        }}  # fmt: skip
    outputs["/app/new/problems.txt"] = {"as": "text", "value": "".join(sorted(problems))}
    return Recipe(
        instruction="""
Migrate the settings in /app/old to the new schema, in the new folder /app/new. /app/old/services holds one JSON file
for each service, /app/old/defaults.json the common defaults. For each service NAME, first merge: keys of the
service's file replace those of the defaults, but where both values are objects they are merged in the same way, at
every depth. From the merged settings write /app/new/NAME.json, a JSON object with exactly these keys:

- `version`: 2; `name`: the service's name (its file name without `.json`).
- `listen`: an object with `host` (text) and `port` (number), from the old `HOST:PORT`. The brackets of an IPv6 host
  are dropped; an empty host becomes `0.0.0.0`.
- `limits`: the old limits. Those that are null are left out. A key that ends in `_timeout` gets `_ms` appended, and
  its value becomes a number of milliseconds: the old one is a whole number directly followed by `ms`, `s`, `m` or
  `h`. When it is not, the key is left out and is a problem, called `limits.KEY`. Other keys stay as they are.
- `routes`: a list of objects with `path`, `target` (from the old object path -> target) and `public`, which is false
  for paths that start with `/internal`, else true. It is sorted by path in order of code points.
- `features`: the sorted list of the old features whose value is true (not of those with any other value).

The old key `debug` is dropped. Any other top-level key is a problem, called by its name. Write all problems to
/app/new/problems.txt, one a line, as the service's name, a blank and what the problem is called, sorted in byte
order.
""",
        artifacts=("/app/new",),
        files=files,
        solve=python(NEW_SCHEMA),
        check="outputs",
        expect={"outputs": outputs},
        mutants=mutated(NEW_SCHEMA, python, (
            ("shallow", "objects are replaced as a whole", "merged(result[key], value) if both else value", "value"),
            ("units", "minutes are taken for milliseconds", '"m": 60000', '"m": 1'),
            ("truthy", "any value switches a feature on", "if on is True", "if on"),
            ("nulls", "nulls are kept", "if value is None:\n            continue",
             "if value is None:\n            limits[key] = None\n            continue"),
        )),
        skills=("services", "data"),
    )  # fmt: skip


FAMILY = SweFamily.of(ID, "Configuration migrations", ("services", "data"), make)
