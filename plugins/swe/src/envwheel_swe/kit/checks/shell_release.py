"""Publishes releases with the candidate's scripts and follows, step by step, what the site must look like."""

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, "/tests/kit")
import grade

EXPECT = json.loads(Path("/tests/expect.json").read_text())


class Site:
    """The site as it must be: release names in order, the current one, and the files of each."""

    def __init__(self, cwd, name, scripts):
        self.cwd, self.name, self.scripts = cwd, name, scripts
        self.releases, self.current = {}, None

    def publish(self, name, source, *keep, **more):
        argv = ["/bin/bash", f"{self.scripts}/release.sh", self.name, name, source, *keep]
        return grade.run(argv, cwd=self.cwd, timeout=30, **more)

    def good(self, name, files, source="src", keep=3, given=True):
        put(self.cwd, source, files)
        ran = self.publish(name, source, *([str(keep)] if given else []))
        grade.need(ran.code == 0, f"release {name}: status {ran.code}, {ran.err[-200:]!r}")
        grade.need(ran.out.decode() == name + "\n", f"release {name}: standard output was {ran.out[:80]!r}")
        order = max([order for order, _ in self.releases.values()], default=0) + 1
        self.releases[name] = (order, files)
        self.current = name
        newest = sorted(self.releases, key=lambda item: -self.releases[item][0])[:keep]
        self.releases = {item: self.releases[item] for item in newest}
        self.same()
        return ran

    def bad(self, status, name, source, *keep):
        ran = self.publish(name, source, *keep)
        grade.need(ran.code == status, f"wanted status {status}, got {ran.code} for {name!r}: {ran.err[-150:]!r}")
        grade.need(ran.err.strip() and not ran.out, "a failure is told on standard error only")
        if self.current:
            self.same()

    def same(self):
        site = Path(self.cwd, self.name)
        link = os.readlink(site / "current") if (site / "current").is_symlink() else None
        grade.need(link == f"releases/{self.current}", f"current is {link!r}, wanted 'releases/{self.current}'")
        there = sorted(os.listdir(site / "releases"))
        grade.need(there == sorted(self.releases), f"releases are {there}, wanted {sorted(self.releases)}")
        for name, (order, files) in self.releases.items():
            root = site / "releases" / name
            found = {
                str(p.relative_to(root)): p.read_text() for p in root.rglob("*") if p.is_file() and not p.is_symlink()
            }
            grade.need(found == {**files, ".order": f"{order}\n"}, f"release {name} does not hold what it should")
            grade.need(not any(p.is_symlink() for p in root.rglob("*")), f"a link appeared in release {name}")


def put(cwd, source, files):
    root = Path(cwd, source)
    subprocess.run(["/bin/rm", "-rf", "--", str(root)], check=True)
    root.mkdir(parents=True)
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    for path in [root, *root.rglob("*")]:
        os.chown(path, grade.NOBODY, grade.NOBODY)


def content(rng):
    files = {
        "index.html": f"page {rng.random()}\n",
        ".htaccess": "deny\n",
        "my docs/a b.txt": "x\n",
        "..odd": "y",
        "-dash": "z",
    }
    return {name: text for name, text in files.items() if name in ("index.html", ".htaccess") or rng.random() < 0.7}


def story(g, rng, scripts, name, source, whole):
    cwd = grade.scratch()
    site = Site(cwd, name, scripts)
    with g.case(f"publishes to {name}"):
        site.good("v1", content(rng), source, given=False)
        site.good("v2.0", {}, source)
        for number in range(3, 14 if whole else 6):
            site.good(f"r{number}", content(rng), source, keep=rng.choice([2, 3, 12]))
    with g.case(f"refuses at {name}"):
        put(cwd, source, {"x": "1"})
        wrong = (
            ["..", "-n", "ok\n"]
            if not whole
            else ["", ".", "..", "../up", "-n", "a/b", "a b", ".hidden", "ok\n", "new\nline", "_x", "a;b"]
        )
        for bad in wrong:
            site.bad(2, bad, source)
        for keep in ("0", "-1", "x", "1.5", ""):
            site.bad(2, "fine", source, keep)
        site.bad(2, "fine", "nowhere")
        site.bad(2, "fine", source, "3", "4")
        site.bad(4, site.current, source)
        site.bad(4, min(site.releases, key=lambda item: site.releases[item][0]), source)
    with g.case(f"a failing check at {name}"):
        put(cwd, source, {"check.sh": "echo looks bad\npwd\nexit 1\n", "x": "1"})
        site.bad(5, "broken", source)
        site.good("mended", {"x": "2"}, source)
    with g.case(f"a check that prints at {name}"):
        check = 'echo all is well\nread -r line && echo "$line"\n[ -f "mark er" ]\n'
        ran = site.good("checked", {"check.sh": check, "mark er": ""}, source)
        grade.need(b"all is well" in ran.err, "what the check prints belongs on standard error")


def locks(g, rng, scripts):
    with g.case("another release is running"):
        site = Site(grade.scratch(), "site", scripts)
        site.good("one", content(rng))
        with open(Path(site.cwd, "site", ".lock"), "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            start = time.monotonic()
            site.bad(75, "two", "src")
            grade.need(time.monotonic() - start < 20, "it waited for the lock")
        site.good("two", content(rng))
    with g.case("a background process of the check"):
        site = Site(grade.scratch(), "site", scripts)
        put(site.cwd, "src", {"check.sh": "sleep 60 > /dev/null 2>&1 < /dev/null &\n", "x": ""})
        put(site.cwd, "other", {"x": ""})
        both = 'bash "$S/release.sh" site one src && bash "$S/release.sh" site two other'
        ran = grade.run(["/bin/bash", "-c", both], cwd=site.cwd, env={"S": scripts}, timeout=40)
        grade.need(
            ran.code == 0 and ran.out == b"one\ntwo\n", f"the second release ended with {ran.code}: {ran.err[-120:]!r}"
        )


def main():
    g = grade.Grade()
    rng = grade.rng(EXPECT["seed"])
    texts = {name: grade.read_text(f"/app/{name}", 100_000) for name in ("release.sh", "lib.sh")}
    plain = None not in texts.values()
    g.check("are plain scripts", plain, "release.sh or lib.sh is no plain text file")
    if plain:
        scripts = grade.scratch(texts)
        for name, source in (("-my site*", "a b/- src?"), ("new/site", "src")):
            story(g, rng, scripts, name, source, whole=name != "new/site")
        locks(g, rng, scripts)
    g.finish()


main()
