"""Uses and attacks a small program that keeps files, notes, settings and tokens; what README.md promises must hold.

expect.json: {"folder": "/app/x", "package": "x", "secret": text, "seed": text}. Every command runs as nobody.
"""

import hashlib
import hmac
import io
import json
import os
import pickle
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, "/tests/kit")
import grade

EXPECT = json.loads(Path("/tests/expect.json").read_text())
PACKAGE, SECRET = EXPECT["package"], EXPECT["secret"]
MARK = "ran-it"


class Home:
    """A HOME, and commands on it."""

    def __init__(self, root, files=None):
        self.root = root
        self.path = grade.scratch(files or {})

    def run(self, *arguments, stdin=b"", **env):
        argv = ["/usr/bin/python3", "-B", "-m", PACKAGE, self.path, *arguments]
        return grade.run(argv, stdin=stdin, cwd=self.root, env=env, timeout=30)

    def out(self, *arguments, stdin=b""):
        """What a command that must succeed prints."""
        ran = self.run(*arguments, stdin=stdin)
        grade.need(ran.code == 0, f"{arguments}: status {ran.code}, {ran.err[-150:]!r}")
        return ran.out

    def refused(self, *arguments, stdin=b"", **env):
        """A command that must be refused, without a trace."""
        before = self.files()
        ran = self.run(*arguments, stdin=stdin, **env)
        grade.need(ran.code == 3 and not ran.out, f"{arguments} is not refused: status {ran.code}, {ran.out[:80]!r}")
        grade.need(ran.err.count(b"\n") == 1, f"{arguments}: wanted one line on standard error, got {ran.err[-100:]!r}")
        grade.need(self.files() == before, f"{arguments} is refused, but changed HOME")
        self.unmarked(arguments)

    def files(self):
        """Every file and its content, the key, which any command on tokens may make, aside."""
        found = {str(path.relative_to(self.path)): path for path in sorted(Path(self.path).rglob("*"))}
        left_out = ("key", "notes.db")
        return {name: path.read_bytes() for name, path in found.items() if path.is_file() and name not in left_out}

    def unmarked(self, what):
        for folder in (self.path, self.root, "/tmp"):
            grade.need(not os.path.lexists(os.path.join(folder, MARK)), f"{what} ran a program")


def archive(*members):
    """A tar archive of (name, content or type, link) members."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content, *link in members:
            info = tarfile.TarInfo(name)
            info.mode = 0o4777
            if isinstance(content, str):
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content.encode()))
            else:
                info.type, info.linkname = content, link[0] if link else ""
                tar.addfile(info)
    return out.getvalue()


def files_case(g, root):
    with g.case("files"):
        home = Home(root)
        data = bytes(range(256)) * 3
        for name in ("a", "my docs/b c.txt", "..hidden", "x/../y", "-n", "$(touch x)", "Ü;'.txt"):
            home.out("put", "ann", name, stdin=data + name.encode())
            grade.need(home.out("get", "ann", name) == data + name.encode(), f"{name!r} does not come back")
            grade.need(
                Path(home.path, "files/ann", name).is_file() or ".." in name, f"{name!r} is not in HOME/files/ann"
            )
        grade.need(home.out("get", "ann", "y").endswith(b"x/../y"), "x/../y is y")
        ran = home.run("get", "ann", "nothing")
        grade.need(ran.code == 1 and not ran.out and ran.err, "a file that is not there: wanted status 1 and a message")
        os.symlink("a", home.path + "/files/ann/inner")
        grade.need(home.out("get", "ann", "inner").endswith(b"a"), "a link that stays in the folder may be used")


def paths_case(g, root):
    with g.case("paths"):
        others = {"files/anna/s": "S1", "files/bob/s": "S2", "s": "S3", "files/s": "S4"}
        home = Home(root, {"files/ann/own": "own", **others})
        os.symlink("../bob", home.path + "/files/ann/link")
        os.symlink("../bob/s", home.path + "/files/ann/leaf")
        os.symlink("/etc", home.path + "/files/ann/etc")
        outside = ("../bob/s", "../anna/s", "../s", "../../s", f"{home.path}/s", "x/../../bob/s", "/etc/passwd")
        for name in (*outside, "link/s", "leaf", "etc/passwd", "link/../s", "..", "../ann/../bob/s"):
            home.refused("get", "ann", name)
        for name in ("../bob/s", "../new/file", "link/s", "link/new", f"{home.path}/s", "../anna/s"):
            home.refused("put", "ann", name, stdin=b"changed")
        for name in ("../bob/s", "link/s"):
            home.refused("count", "ann", name, "S")
        commands = (("get", "s"), ("note", "x"), ("set", "k", "1"), ("settings",), ("token",), ("search", "x"))
        users = ("", "ann/../bob", "../bob", "ANN", "ann\n", "a" * 21, "ann bob", ".", "ann/", "é", "\u0663")
        for number, user in enumerate(users):
            command, *arguments = commands[number % len(commands)]
            home.refused(command, user, *arguments)
        grade.need(home.out("get", "ann", "own") == b"own", "the user's own file")


def archive_case(g, root):
    with g.case("archives"):
        home = Home(root, {"files/bob/s": "S"})
        folders = (("./", tarfile.DIRTYPE), ("d", tarfile.DIRTYPE))
        good = archive(*folders, ("./a", "1"), ("d/e/..f", "2"), ("x/../y", "3"), ("-z", "4"))
        home.out("unpack", "ann", stdin=good)
        for name, content in (("a", b"1"), ("d/e/..f", b"2"), ("y", b"3"), ("-z", b"4")):
            grade.need(home.out("get", "ann", name) == content, f"{name} is not unpacked")
            mode = grade.mode(f"{home.path}/files/ann/{name}")
            grade.need(mode == 0o644, f"{name} has the mode {mode:o}")
        os.symlink("../bob", home.path + "/files/ann/link")
        out = ("../bob/t", "../t", f"/{home.path}/t", f"{home.path}/t", "a/../../bob/s", "link/s", "....//b/../../../t")
        for name in out:
            home.refused("unpack", "ann", stdin=archive(("first", "1"), (name, "no"), ("last", "2")))
        home.refused("unpack", "ann", stdin=archive(("first", "1"), ("../dir", tarfile.DIRTYPE)))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            odd = archive(("first", "1"), ("odd", kind, "first"), ("odd2", kind, "../bob/s"))
            home.refused("unpack", "ann", stdin=odd)
        os.unlink(home.path + "/files/ann/link")
        grade.need(not os.path.lexists(home.path + "/files/dir"), "a folder was made outside")


def count_case(g, root, rng):
    texts = ["it's", "-v", "--help", "-e a", "a.c", "$HOME", "`id`", '"', "\\", "*", "é", "[x]", " "]
    texts.append(f"'; touch {MARK}; '")
    lines = [" ".join(rng.sample(texts, rng.randrange(4))) for _ in range(60)]
    with g.case("count"):
        home = Home(root)

        def same(name, text):
            wanted = sum(text in line for line in lines)
            grade.need(home.out("count", "ann", name, text) == b"%d\n" % wanted, f"count of {text!r} is wrong")
            home.unmarked(f"count {text!r}")

        for name in ("plain", "it's; $(touch x).txt", "-c"):
            home.out("put", "ann", name, stdin="".join(line + "\n" for line in lines).encode())
            for text in ("", *texts, "abc") if name == "plain" else ("it's", "-v"):
                same(name, text)
        for text in (
            *(f"'; touch {MARK}; echo '", f"$(touch {MARK})", f"`touch {MARK}`", f"| touch {MARK}", "-f/etc/passwd"),
            *(f"x' /dev/null; touch {home.path}/{MARK} #", f"x'$(touch /tmp/{MARK})'"),
        ):
            same("plain", text)
        grade.need(home.run("count", "ann", "none", "x").code == 1, "a file that is not there: wanted status 1")


def notes_case(g, root):
    with g.case("notes"):
        home = Home(root)
        mine = ["it's mine", "100 %", "a_b", "'); DROP TABLE notes; --", "x', 'y", "Größe", '"']
        mine += ["Robert'); DELETE FROM notes; --", "x'), ('bob', 'forged", "' || (SELECT 'sub') || '"]
        for text in mine:
            home.out("note", "ann", text)
        for _ in range(2):
            home.out("note", "bob", "secret of bob")
        for text in ("it's", "%", "_", "'", "", "größe", "DROP", '"', "x', '", "sub", "--"):
            wanted = "".join(note + "\n" for note in mine if text in note)
            grade.need(home.out("search", "ann", text).decode() == wanted, f"search for {text!r} gives other notes")
        for text in (
            *("') > 0 OR 1=1 --", "x') >= 0 OR (user='bob' AND ''=''", "') UNION SELECT text FROM notes --"),
            "x') > 0 UNION SELECT sql FROM sqlite_master --",
        ):
            grade.need(home.out("search", "ann", text) == b"", f"search for {text!r} finds something")
        bobs = home.out("search", "bob", "")
        grade.need(bobs == b"secret of bob\n" * 2, "bob's notes are not what bob noted")


class Evil:
    """Runs a command when it is unpickled."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def settings_case(g, root):
    with g.case("settings"):
        home, wanted = Home(root), {}
        values = ["1", "-2.5e3", r'"a\u00e9\n"', "true", "null", '[1, {"x": false}]', '"__import__(1)"', "{}", ' "ü" ']
        for number, value in enumerate(values):
            key = f"key '{number % 7}"
            home.out("set", "ann", key, value)
            wanted[key] = json.loads(value)
        grade.need(json.loads(home.out("settings", "ann")) == wanted, "settings are not kept")
        grade.need(list(json.loads(home.out("settings", "ann"))) == sorted(wanted), "the keys are not sorted")
        grade.need(json.loads(home.out("settings", "bob")) == {}, "bob has settings")
        target = f"{home.path}/{MARK}"
        for value in (
            *(f"__import__('os').system('touch {target}')", f"open('{target}', 'w')", "1+1", "(1, 2)", "", "{'a': 1}"),
            *("[].__class__", "[c for c in ().__class__.__base__.__subclasses__()][0].__name__", "True", "0x10"),
        ):
            home.refused("set", "ann", "evil", value)
        grade.need(json.loads(home.out("settings", "ann")) == wanted, "refused values are kept")


def broken_settings_case(g, root):
    with g.case("settings files of others"):
        home = Home(root, {"settings/eve.json": "{}"})
        path, target = f"{home.path}/settings/eve.json", f"{home.path}/{MARK}"
        both = ({"a": 1}, Evil(os.system, f"touch {target}"))
        files = [pickle.dumps(value, protocol) for value in both for protocol in (0, 4)]
        files += [pickle.dumps(Evil(open, target, "w"), 4), pickle.dumps(Evil(os.mkdir, target), 4)]
        files += [b"[1]", b"7", b"{", b"", b"\xff", b"!!python/object/apply:os.system ['x']", b"[" * 9999]
        for data in files:
            Path(path).write_bytes(data)
            grade.need(home.out("settings", "eve") == b"{}\n", f"the file {data[:30]!r} does not count as empty")
            home.unmarked("a settings file")
        home.out("set", "eve", "a", "1")
        grade.need(json.loads(home.out("settings", "eve")) == {"a": 1}, "settings after a broken file")


def signed(key, user):
    return f"{user}:{hmac.new(key, user.encode(), hashlib.sha256).hexdigest()}"


def tokens_case(g, root):
    with g.case("tokens"):
        home = Home(root)
        token = home.out("token", "ann").decode().strip()
        grade.need(token.startswith("ann:") and len(token) > 20, f"{token[:40]!r} is no USER:SIGNATURE")
        grade.need(home.out("whose", token) == b"ann\n", "a good token is not known")
        mode, key = grade.mode(home.path + "/key"), grade.read_bytes(home.path + "/key")
        grade.need(mode == 0o600 and key is not None and len(key) == 32, "HOME/key is not 32 bytes with mode 600")
        signature = token.partition(":")[2]
        wrong = [signature[:length] for length in (0, 1, 8, len(signature) - 1)]
        wrong += [signature + "0", signature[::-1], SECRET]
        texts = [f"ann:{part}" for part in wrong]
        texts += [f"bob:{signature}", f"bob:{SECRET}", "ann", "", ":", f":{signature}", f"ann:{signature}:"]
        texts += [signed(SECRET.encode().ljust(32, b"."), "ann"), signed(b"", "ann")]
        for text in texts:
            home.refused("whose", text)
        other = Home(root)
        grade.need(other.out("token", "ann").decode().strip() != token, "two HOMEs make the same token")
        other.refused("whose", token)
        os.unlink(home.path + "/key")
        grade.need(home.out("token", "ann").decode().strip() != token, "a new key makes the old token")
        home.refused("whose", token)


def main():
    g = grade.Grade()
    root = grade.scratch()
    with g.case("is a plain folder"):
        root = grade.copy_tree(EXPECT["folder"])
    rng = grade.rng(EXPECT["seed"])
    files_case(g, root)
    paths_case(g, root)
    archive_case(g, root)
    count_case(g, root, rng)
    notes_case(g, root)
    settings_case(g, root)
    broken_settings_case(g, root)
    tokens_case(g, root)
    g.finish()


main()
