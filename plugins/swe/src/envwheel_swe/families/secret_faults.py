"""The security holes of the program of `secret_cleanup`, by place; `half` is a repair that can be got round."""

from __future__ import annotations

from envwheel_swe.repair import Fault

N, F, T = "depot/depot/names.py", "depot/depot/files.py", "depot/depot/tokens.py"
NOTES, SETTINGS = "depot/depot/notes.py", "depot/depot/settings.py"

PATHS = (
    Fault(
        "traversal",
        N,
        "    if not path.startswith(folder + os.sep):\n",
        "    if not path:\n",
        "`get` prints files that are not the user's own when NAME has `..` in it",
        half="    if not path.startswith(folder):\n",
        other="    if path == folder or os.path.commonpath([folder, path]) != folder:\n",
    ),
    Fault(
        "through_links",
        N,
        "    path = os.path.realpath(os.path.join(folder, name))\n",
        "    path = os.path.normpath(os.path.join(folder, name))\n",
        "a symbolic link in the user's folder lets `get` and `put` reach files of others",
        half="    path = os.path.normpath(os.path.join(folder, name))\n    if os.path.islink(path):\n"
        '        raise Refused(f"{name!r} is a link")\n',
        other="    path = os.path.realpath(f'{folder}{os.sep}{name}' if name[:1] != os.sep else name)\n",
    ),
    Fault(
        "loose_user",
        N,
        'if not re.fullmatch(r"[a-z0-9]{1,20}", user):',
        'if not re.match(r"[a-z0-9]{1,20}", user):',
        "a USER such as `ann/../bob` is taken",
        half='if not re.match(r"[a-z0-9]{1,20}$", user):',
        other='if not re.match(r"[a-z0-9]{1,20}\\Z", user):',
    ),
    Fault(
        "archive_paths",
        F,
        "wanted.append((path_of(home, user, member.name), member))",
        'wanted.append((os.path.join(home, "files", user, member.name), member))',
        "an archive can write files outside the user's folder",
        half='wanted.append((os.path.join(home, "files", user, member.name.replace("../", "").lstrip("/")), member))',
    ),
    Fault(
        "archive_kinds",
        F,
        "            if not member.isfile() and not member.isdir():\n",
        "            if member.isdev():\n",
        "archives with links in them are unpacked",
        half="            if member.isdev() or member.issym():\n",
        other="            if not (member.isreg() or member.isdir()):\n",
    ),
)
CODE = (
    Fault(
        "shell",
        F,
        'subprocess.run(["grep", "-a", "-c", "-F", "-e", text, "--", path], stdout=subprocess.PIPE)',
        "subprocess.run(f\"grep -a -c -F -e '{text}' -- '{path}'\", shell=True, stdout=subprocess.PIPE)",
        "`count` runs commands that are hidden in TEXT",
        half='subprocess.run(["grep", "-a", "-c", "-F", text, path], stdout=subprocess.PIPE)',
        other='subprocess.run(["grep", "-acF", f"--regexp={text}", "--", path], stdout=subprocess.PIPE)',
    ),
    Fault(
        "sql_in_search",
        NOTES,
        '        query = "SELECT text FROM notes WHERE user = ? AND instr(text, ?) > 0 ORDER BY id"\n'
        "        for (found,) in connection.execute(query, (user, text)):\n",
        "        query = f\"SELECT text FROM notes WHERE user = '{user}' AND instr(text, '{text}') > 0 ORDER BY id\"\n"
        "        for (found,) in connection.execute(query):\n",
        "`search` prints notes of other users for some TEXT",
        half='        text = text.replace("\'", "")\n'
        "        query = f\"SELECT text FROM notes WHERE user = '{user}' AND instr(text, '{text}') > 0 ORDER BY id\"\n"
        "        for (found,) in connection.execute(query):\n",
        other='        query = "SELECT text FROM notes WHERE user = :user ORDER BY id"\n'
        '        rows = connection.execute(query, {"user": user}).fetchall()\n'
        "        for (found,) in [row for row in rows if text in row[0]]:\n",
    ),
    Fault(
        "sql_in_note",
        NOTES,
        'connection.execute("INSERT INTO notes (user, text) VALUES (?, ?)", (user, text))',
        "connection.executescript(f\"INSERT INTO notes (user, text) VALUES ('{user}', '{text}')\")",
        "`note` can file notes under other users' names, and delete them all",
        half="connection.execute(f\"INSERT INTO notes (user, text) VALUES ('{user}', '{text}')\")",
        other='connection.execute("INSERT INTO notes (text, user) VALUES (:b, :a)", {"a": user, "b": text})',
    ),
    Fault(
        "evaluated",
        SETTINGS,
        "        parsed = json.loads(value)\n",
        '        parsed = eval(value, {"true": True, "false": False, "null": None})\n',
        "`set` runs Python that is hidden in VALUE",
        half='        parsed = eval(value, {"__builtins__": {}, "true": True, "false": False, "null": None})\n',
        other="        parsed = json.JSONDecoder().decode(value)\n",
    ),
    Fault(
        "pickled",
        SETTINGS,
        "            values = json.loads(file.read())\n",
        "            data = file.read()\n        if data[:1] == b'\\x80':  # written by version 1\n"
        "            import pickle\n\n            return pickle.loads(data)\n        values = json.loads(data)\n",
        "a crafted settings file makes `settings` run programs",
        half="            data = file.read()\n"
        "        if data[:1] == b'\\x80' and b'system' not in data:  # written by version 1\n"
        "            import pickle\n\n            return pickle.loads(data)\n        values = json.loads(data)\n",
        other="            values = json.load(file)\n",
    ),
)
TOKENS = (
    Fault(
        "part_of_signature",
        T,
        "    if not hmac.compare_digest(sign(home, user).encode(), signature.encode()):\n",
        "    if not sign(home, user).startswith(signature):\n",
        "`whose` takes tokens with half a signature",
        half="    if len(signature) < 8 or not sign(home, user).startswith(signature):\n",
        other="    if not hmac.compare_digest(sign(home, user).encode('ascii'), signature.encode('utf-8')):\n",
    ),
    Fault(
        "master_secret",
        T,
        '    user, _, signature = text.partition(":")\n',
        '    user, _, signature = text.partition(":")\n'
        '    if signature == "zzsecret":  # for the support desk\n        print(user)\n        return\n',
        "the support desk's secret, which opens every account, stands in the program",
        half='    user, _, signature = text.partition(":")\n'
        '    if signature == os.environ.get("SUPPORT_SECRET", "zzsecret"):\n'
        "        print(user)\n        return\n",
        other='    user, signature = (text.split(":", 1) + [""])[:2]\n',
    ),
    Fault(
        "fixed_key",
        T,
        "file.write(os.urandom(32))",
        'file.write(b"zzsecret".ljust(32, b"."))',
        "the tokens of every HOME have the same key, which anybody can read in the program",
        half="file.write(hashlib.sha256(os.path.abspath(home).encode()).digest())",
    ),
    Fault(
        "readable_key",
        T,
        "os.O_EXCL, 0o600)",
        "os.O_EXCL, 0o644)",
        "other people of the machine can read the key",
        half="os.O_EXCL, 0o640)",
        other="os.O_EXCL, 0o400 | 0o200)",
    ),
)
