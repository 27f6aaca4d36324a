"""Permissions: from one executable script to a program that applies a policy to any tree."""

from __future__ import annotations

import random

from envwheel.api import Alternative, Mutant
from envwheel_swe import naming, trees
from envwheel_swe.families.file_modes_program import applier
from envwheel_swe.family import Recipe, SweFamily, python, swap

ID = "file_modes"


def make(level: int, seed: int) -> Recipe:
    """One environment of this family."""
    draw = naming.rng(ID, level, seed)
    return (one_mode, by_suffix, policy, listing, applier)[level](draw)


def one_mode(draw: random.Random) -> Recipe:
    """Level 0: one file gets one mode."""
    return make_executable(draw) if draw.random() < 0.5 else set_mode(draw)


PHRASES = (
    "Make {name} executable.",
    "Make the file /app/{name} executable.",
    "The script /app/{name} is not executable. Make it executable.",
)


def make_executable(draw: random.Random) -> Recipe:
    """A script is made executable."""
    name, other = (f"{word}.sh" for word in draw.sample(naming.SCRIPTS, 2))
    phrase = draw.choice(PHRASES)
    text, beside = script(draw), script(draw)
    return Recipe(
        instruction=phrase.format(name=name),
        artifacts=(f"/app/{name}",),
        files={name: text, other: beside},
        setup=trees.make_modes({name: "644", other: "644"}),
        solve=f"chmod +x /app/{name}",
        check="tree",
        expect=trees.tree("/app", {name: trees.file(text, allow="500")}),
        mutants=(
            Mutant("wrong_file", "another script", f"chmod 644 /app/{name}; chmod +x /app/{other}"),
            Mutant("changed", "the content is lost", f": > /app/{name}"),
            Mutant("others_only", "its owner cannot run it", f"chmod 645 /app/{name}"),
        ),
        alternatives=(Alternative("owner_only", "executable for its owner", f"chmod u+x /app/{name}"),),
        knobs={"variant": "executable"},
    )


def set_mode(draw: random.Random) -> Recipe:
    """A file gets a mode that is given in octal."""
    name = f"{draw.choice(naming.NOUNS)}.txt"
    mode = draw.choice(("600", "640", "400", "660", "700"))
    phrase = draw.choice(
        ("Set the mode of the file /app/{name} to {mode}.", "Set the permissions of /app/{name} to {mode}.")
    )
    text = naming.words(draw, 7) + "\n"
    return Recipe(
        instruction=phrase.format(name=name, mode=mode),
        artifacts=(f"/app/{name}",),
        files={name: text},
        setup=trees.make_modes({name: "644"}),
        solve=f"chmod {mode} /app/{name}",
        check="tree",
        expect=trees.tree("/app", {name: trees.file(text, mode=mode)}),
        mutants=(
            Mutant("open", "everybody may do everything", f"chmod 777 /app/{name}"),
            Mutant("one_bit", "one bit is off", f"chmod o+r /app/{name}"),
            Mutant("replaced", "the content is lost", f"echo {mode} > /app/{name}"),
        ),
        alternatives=(
            Alternative("copied", "a new file with that mode",
                        f"cd /app; install -m {mode} {name} new; mv -f new {name}"),
        ),
        knobs={"variant": "octal", "mode": mode},
    )  # fmt: skip


def script(draw: random.Random) -> str:
    """A short shell script."""
    return f'#!/bin/bash\necho "{naming.words(draw, 4)}"\n'


def by_suffix(draw: random.Random) -> Recipe:
    """Level 1: three kinds of files in one folder get three modes."""
    folder = draw.choice(naming.FOLDERS)
    kinds = {".sh": draw.choice(("750", "755", "700")), ".conf": draw.choice(("640", "644", "600")),
             ".key": draw.choice(("400", "600"))}  # fmt: skip
    names = draw.sample(naming.NOUNS, 9)
    pairs = zip(names, list(kinds) * 3, strict=True)
    files = {f"{name}{suffix}": naming.words(draw, 5) + "\n" for name, suffix in pairs}
    files["README"] = "Nothing to run here.\n"
    start = {f"{folder}/{name}": "664" for name in files}
    modes = {name: next((mode for suffix, mode in kinds.items() if name.endswith(suffix)), "664") for name in files}
    solve = f"cd /app/{folder}\n" + "".join(f"chmod {mode} *{suffix}\n" for suffix, mode in kinds.items())
    return Recipe(
        instruction=(
            f"Set the permissions of the files in /app/{folder}: the `.sh` files get the mode {kinds['.sh']}, the "
            f"`.conf` files the mode {kinds['.conf']} and the `.key` files the mode {kinds['.key']}. Change no other "
            "file and no content."
        ),
        artifacts=(f"/app/{folder}",),
        files={f"{folder}/{name}": text for name, text in files.items()},
        setup=trees.make_modes(start),
        solve=solve,
        check="tree",
        expect=trees.tree(
            f"/app/{folder}", {name: trees.file(text, mode=modes[name]) for name, text in files.items()}, exact=True
        ),
        mutants=(
            Mutant("readme_too", "a file that was not named", f"chmod 600 /app/{folder}/README"),
            Mutant("one_missed", "one script was missed", f"chmod 664 /app/{folder}/{names[0]}.sh"),
            Mutant("keys_open", "keys can be read by all", f"chmod 444 /app/{folder}/*.key"),
        ),
        alternatives=(
            Alternative("find", "with find", "".join(
                f"find /app/{folder} -name '*{suffix}' -exec chmod {mode} {{}} +\n" for suffix, mode in kinds.items())),
        ),
    )  # fmt: skip


def policy(draw: random.Random) -> Recipe:
    """Level 2: a whole tree by rules: folders, scripts by their first line, secrets by name."""
    top = draw.choice(naming.PRODUCTS)
    a, b, c = draw.sample(naming.FOLDERS, 3)
    nouns = draw.sample(naming.NOUNS, 8)
    folder_mode, file_mode, script_mode, secret = "750", "640", "750", draw.choice(("600", "400"))
    shebang, plain = "#!/usr/bin/env python3\nprint('ok')\n", "just text\n"
    files = {
        f"{a}/{nouns[0]}": shebang, f"{a}/{nouns[1]}.py": plain, f"{a}/{b}/{nouns[2]} report.txt": plain,
        f"{a}/{b}/.{nouns[3]}.sh": shebang, f"{b}/{nouns[4]}.key": plain, f"{b}/.ssh/{nouns[5]}.key": plain,
        f"{c}/{nouns[6]}.key.sh": shebang, f"{c}/-{nouns[7]}.txt": " #!/bin/sh\n", f"{c}/tool.key": shebang,
        f"{c}/empty": "",
    }  # fmt: skip
    folders = sorted({"", a, f"{a}/{b}", b, f"{b}/.ssh", c})
    scripts = [name for name, text in files.items() if text.startswith("#!")]
    modes = {n: secret if n.endswith(".key") else script_mode if n in scripts else file_mode for n in files}
    setup = {f"{top}/{n}".rstrip("/"): draw.choice(("755", "775", "700")) for n in folders}
    setup |= {f"{top}/{n}": draw.choice(("644", "666", "755", "600", "664")) for n in files}
    program = f"""
import os

for folder, _, names in os.walk("/app/{top}"):
    os.chmod(folder, 0o{folder_mode})
    for name in names:
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            script = file.read(2) == b"#!"
        os.chmod(path, 0o{secret} if name.endswith(".key") else 0o{script_mode} if script else 0o{file_mode})
"""
    return Recipe(
        instruction=(
            f"Give everything in the tree /app/{top} (hidden files and folders too) the right permissions:\n\n"
            f"- folders, /app/{top} itself included: {folder_mode};\n"
            f"- files whose name ends in `.key`: {secret}, whatever is in them;\n"
            f"- other files that start with the two characters `#!`: {script_mode};\n"
            f"- all other files: {file_mode}.\n\n"
            "Change no content and no name, and leave no further files in the tree."
        ),
        artifacts=(f"/app/{top}",),
        files={f"{top}/{name}": text for name, text in files.items()},
        setup=trees.make_modes(setup),
        solve=python(program),
        check="tree",
        expect=trees.tree(
            f"/app/{top}",
            {n: trees.file(t, mode=modes[n]) for n, t in files.items()}
            | {n: trees.folder(mode=folder_mode) for n in folders},
            exact=True,
            folders_exact=True,
        ),
        mutants=(
            Mutant("by_name", "scripts found by .sh", f"chmod {file_mode} '/app/{top}/{a}/{nouns[0]}'"),
            Mutant("hidden_missed", "hidden files are left out", f"chmod 644 '/app/{top}/{a}/{b}/.{nouns[3]}.sh'"),
            Mutant("script_first", "a .key file that starts with #!", f"chmod {script_mode} /app/{top}/{c}/tool.key"),
            Mutant("top_missed", "the top folder", f"chmod 755 /app/{top}"),
        ),
        alternatives=(
            Alternative("find", "with find and head", f"""cd /app/{top}
find . -type f -exec bash -c 'for f; do case $f in *.key) m={secret};; *) m={file_mode}
  [ "$(head -c 2 "$f" | tr -d "\\0")" = "#!" ] && m={script_mode};; esac; chmod $m "$f"; done' _ {{}} +
find . -depth -type d -exec chmod {folder_mode} {{}} +
"""),
        ),
    )  # fmt: skip


def listing(draw: random.Random) -> Recipe:
    """Level 3: modes are restored from a listing with later corrections, patterns and exceptions."""
    top = draw.choice(naming.PRODUCTS)
    folders = draw.sample(naming.FOLDERS, 4)
    names = [f"{noun}.{draw.choice(('txt', 'sh', 'conf', 'dat'))}" for noun in draw.sample(naming.NOUNS, 16)]
    files = {f"{folders[i % 4]}/{name}": naming.words(draw, 4) + "\n" for i, name in enumerate(names)}
    files[f"{folders[0]}/with blank.txt"] = "one\n"
    paths = sorted(files)
    modes = {path: draw.choice((0o644, 0o640, 0o600, 0o755, 0o750, 0o660, 0o444)) for path in paths}
    modes |= {folder: draw.choice((0o755, 0o750, 0o700, 0o770)) for folder in folders}
    lines = [f"{letters(mode, path in files)} {path}" for path, mode in sorted(modes.items())]
    draw.shuffle(lines)
    late = draw.sample(paths, 4)
    changes = [(late[0], 0o600), (late[1], 0o755), (late[0], 0o640)]
    lines += ["", "# corrections"] + [f"{letters(mode, True)} {path}" for path, mode in changes]
    octal = [(late[2], draw.choice((0o604, 0o622, 0o711)))]
    lines += ["", "# from the other machine"] + [f"0{mode:o} ./{path}" for path, mode in octal]
    lines += [f"-rw-r--r-- {folders[1]}/gone.txt"]
    want = modes | dict(changes) | dict(octal)
    dropped = f"{folders[2]}/unlisted.log"
    files[dropped] = "log\n"
    want[dropped] = 0o666 & ~0o027
    text = "\n".join(lines) + "\n"
    program = f"""
import os

os.chdir("/app/{top}")
wanted = {{}}
for line in open("/app/modes.lst", encoding="utf-8"):
    line = line.rstrip("\\n")
    if not line or line.startswith("#"):
        continue
    mode, path = line.split(" ", 1)
    path = os.path.normpath(path)
    if mode.startswith("0"):
        wanted[path] = int(mode, 8)
    else:
        wanted[path] = int("".join("0" if c == "-" else "1" for c in mode[1:]), 2)
for folder, _, names in os.walk(".", topdown=False):
    for name in names:
        path = os.path.normpath(os.path.join(folder, name))
        if path not in wanted:
            os.chmod(path, os.stat(path).st_mode & 0o777 & ~0o027)
for path, mode in sorted(wanted.items(), reverse=True):
    if os.path.exists(path):
        os.chmod(path, mode)
"""
    entries = {n: trees.file(t, mode=f"{want[n]:o}") for n, t in files.items()}
    entries |= {folder: trees.folder(mode=f"{want[folder]:o}") for folder in folders}
    open_all = "chmod -R u+rwX,go=u /app/" + top + "\nchmod 666 /app/" + top + "/" + dropped + "\n"
    return Recipe(
        instruction=(
            f"A copy lost the permissions of the tree /app/{top}. Restore them from the listing /app/modes.lst:\n\n"
            "- A line is a mode, one blank and a path (the rest of the line, blanks included) relative to "
            f"/app/{top}; a leading `./` means nothing. Empty lines and lines that start with `#` are skipped.\n"
            "- The mode is written as `ls -l` does (`-rw-r-----`, `drwxr-x---`) or in octal with a leading 0.\n"
            "- When a path is listed several times, the last line holds. Paths that do not exist are skipped.\n"
            f"- A file below /app/{top} that is not listed keeps its present mode, less everything that the umask 027 "
            f"takes away. All folders below /app/{top} are listed; /app/{top} itself stays as it is.\n\n"
            f"Only the tree /app/{top} is graded: modes, contents, and that nothing else is in it."
        ),
        artifacts=(f"/app/{top}",),
        files={f"{top}/{name}": content for name, content in files.items()} | {"modes.lst": text},
        setup=trees.make_modes({f"{top}/{n}": "666" for n in files}),
        solve=python(program),
        check="tree",
        expect=trees.tree(f"/app/{top}", entries, exact=True, folders_exact=True),
        mutants=(
            Mutant("first_holds", "the first line of a path wins", open_all + python(swap(
                program, 'in open("/app/modes.lst", encoding="utf-8")', 'in [*open("/app/modes.lst")][::-1]'))),
            Mutant("octal_skipped", "octal lines are skipped", open_all + python(swap(
                program, 'if not line or line.startswith("#"):', 'if not line or line[0] in "#0":'))),
            Mutant("unlisted_kept", "unlisted files stay open", f"chmod 666 /app/{top}/{dropped}"),
            Mutant("unlisted_default", "unlisted files get a fixed mode", f"chmod 644 /app/{top}/{dropped}"),
        ),
    )  # fmt: skip


def letters(mode: int, is_file: bool) -> str:
    """The mode as `ls -l` writes it."""
    bits = "".join(letter if mode >> (8 - place) & 1 else "-" for place, letter in enumerate("rwxrwxrwx"))
    return ("-" if is_file else "d") + bits


FAMILY = SweFamily.of(ID, "Permissions", ("files", "security"), make)
