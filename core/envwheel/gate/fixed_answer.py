"""Wrong programs that give one answer whatever they are asked: what tests with a single example take for the work.

    wrapped(path, data)              # answers its first call as the reference does, and each later call the same
    fixed(path, data, kept)          # gives that first answer always; None where none was seen

The answer is learned in the verifier box: the wrapped program leaves it at `KEPT`, which the gate reads after the
grading. A verdict hangs on the second program alone, which remembers nothing. A Python module that is imported is
wrapped function by function.
"""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
import re
from collections.abc import Mapping

from envwheel.gate.payloads import kind_of

KEPT = "/tmp/.first-answers"
"""Folder in the verifier box, for all users."""
LONG = 200
"""Bytes from which an answer is not guessed by chance: only who can see the question can give it."""
KINDS = ("python", "shell", "c")

_PYTHON = """import os as _os
import sys as _sys

_SOURCE = @SOURCE@
_AT = @AT@


def _keep(name, data):
    with open(_AT + name + str(_os.getpid()), "wb") as file:
        file.write(data)
    _os.chmod(file.name, 0o666)
    _os.rename(file.name, _AT + name)


def _script():
    import hashlib
    import stat
    import subprocess
    import tempfile

    if not _os.path.exists(_AT + ".code"):
        _os.makedirs(_os.path.dirname(_AT), exist_ok=True)
        asked = [open(name, "rb").read() for name in _sys.argv[1:] if _os.path.isfile(name)]
        given = None
        kind = _os.fstat(0).st_mode
        if stat.S_ISFIFO(kind) or stat.S_ISREG(kind):
            given = _sys.stdin.buffer.read()
        asked += [given] if given else []
        program = _os.path.join(tempfile.mkdtemp(), _os.path.basename(__file__))
        with open(program, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(_SOURCE)
        path = _os.pathsep.join([_os.path.dirname(_os.path.abspath(__file__)), _os.environ.get("PYTHONPATH", "")])
        command = [_sys.executable, program, *_sys.argv[1:]]
        how = {"input": given} if given is not None else {}
        done = subprocess.run(command, stdout=subprocess.PIPE, env={**_os.environ, "PYTHONPATH": path}, **how)
        _keep(".out", done.stdout)
        _keep(".asked", "".join(hashlib.sha256(one).hexdigest() + "\\n" for one in asked).encode())
        _keep(".code", b"%d" % done.returncode)
    with open(_AT + ".out", "rb") as file:
        _sys.stdout.buffer.write(file.read())
    _sys.stdout.flush()
    with open(_AT + ".code") as file:
        _os._exit(int(file.read()))


def _wrapped(function, inside):
    import functools
    import pickle

    at = _AT + "@" + function.__name__

    @functools.wraps(function)
    def always(*args, **named):
        if inside:
            return function(*args, **named)
        if not _os.path.exists(at):
            _os.makedirs(_os.path.dirname(_AT), exist_ok=True)
            inside.append(1)
            try:
                answer = function(*args, **named)
            finally:
                inside.pop()
            _keep("@" + function.__name__, pickle.dumps(answer))
        with open(at, "rb") as file:
            return pickle.load(file)

    return always


def _module():
    import types

    inside = []
    for name, value in list(globals().items()):
        if isinstance(value, types.FunctionType) and value.__module__ == __name__ and not name.startswith("_"):
            code = value.__code__
            if code.co_argcount + code.co_kwonlyargcount or code.co_flags & 12:
                globals()[name] = _wrapped(value, inside)


if __name__ == "__main__":
    _script()
exec(compile(_SOURCE, __file__, "exec"))
_module()
"""

_SHELL = r"""#!/bin/bash
at=@AT@
if [ ! -e "$at.code" ]; then
  mkdir -p "${at%/*}" || exit 97
  for name in "$@"; do [ -f "$name" ] && sha256sum < "$name"; done > "$at.asked"
  if [ -p /dev/stdin ] || [ -f /dev/stdin ]; then
    input=$(mktemp)
    cat > "$input"
    sha256sum < "$input" >> "$at.asked"
    exec < "$input"
  fi
  folder=$(mktemp -d)
  echo @SOURCE@ | base64 -d > "$folder/"@NAME@
  @SHELL@ "$folder/"@NAME@ "$@" > "$at.out"
  echo $? > "$at.new"
  mv "$at.new" "$at.code"
fi
cat "$at.out"
exit "$(cat "$at.code")"
"""

_C = r"""#define main reference_main
@SOURCE@
#undef main
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

int main(int count, char **words)
{
    int status = 0, letter;
    int (*volatile start)(int, char **) = (int (*)(int, char **))reference_main;
    FILE *file = fopen(@AT@ ".code", "r");
    if (!file) {
        mkdir(@FOLDER@, 0777);
        pid_t child = fork();
        if (child == 0) {
            int out = open(@AT@ ".out", O_WRONLY | O_CREAT | O_TRUNC, 0666);
            if (out < 0 || dup2(out, 1) < 0)
                _exit(97);
            exit(start(count, words));
        }
        waitpid(child, &status, 0);
        file = fopen(@AT@ ".code", "w");
        if (!file)
            return 97;
        fprintf(file, "%d", WIFEXITED(status) ? WEXITSTATUS(status) : 99);
        fclose(file);
        file = fopen(@AT@ ".code", "r");
    }
    if (!file || fscanf(file, "%d", &status) != 1)
        return 97;
    file = fopen(@AT@ ".out", "r");
    while (file && (letter = getc(file)) != EOF)
        putchar(letter);
    return status;
}
"""

_PYTHON_FIXED = """import os
import pickle
import sys

_code = @CODE@
if __name__ == "__main__" and _code is not None:
    sys.stdout.buffer.write(@OUT@)
    sys.stdout.flush()
    os._exit(_code)
exec(compile(@SOURCE@, __file__, "exec"))
for _name, _answer in @ANSWERS@.items():
    globals()[_name] = lambda *args, _answer=_answer, **named: pickle.loads(_answer)
"""


def wrapped(path: str, data: bytes) -> bytes | None:
    """`data`, a program, made to repeat its first answer; None where that is not known how."""
    kind, source, at = kind_of(path, data), data.decode("utf-8", "surrogateescape"), _at(path)
    if kind == "python":
        return _filled(_PYTHON, AT=repr(at), SOURCE=_python(source))
    if kind == "shell":
        shell = "sh" if data.split(b"\n", 1)[0].rstrip().endswith(b"/sh") else "bash"
        name = json.dumps(posixpath.basename(path))
        return _filled(_SHELL, AT=at, SOURCE=base64.b64encode(data).decode(), NAME=name, SHELL=shell)
    if kind == "c" and b"main" in data and path.endswith(".c"):
        return _filled(_C, AT=json.dumps(at), FOLDER=json.dumps(KEPT), SOURCE=source)
    return None


def fixed(path: str, data: bytes, kept: Mapping[str, bytes]) -> bytes | None:
    """A program that gives the answer that `wrapped(path, data)` left among the files `kept`, and no other."""
    kind, at = kind_of(path, data), _at(path)
    out, code = kept.get(at + ".out", b""), _code(kept.get(at + ".code"))
    if kind == "python":
        functions = {name.partition("@")[2]: answer for name, answer in kept.items() if name.startswith(at + "@")}
        functions = {name: answer for name, answer in functions.items() if name.isidentifier()}
        if code is None and not functions:
            return None
        source = _python(data.decode("utf-8", "surrogateescape"))
        return _filled(_PYTHON_FIXED, CODE=repr(code), OUT=repr(out), SOURCE=source, ANSWERS=repr(functions))
    if code is None:
        return None
    if kind == "shell":
        return f"#!/bin/bash\necho {base64.b64encode(out).decode()} | base64 -d\nexit {code}\n".encode()
    octal = "".join(f"\\{byte:03o}" for byte in out)
    body = f'    fwrite("{octal}", 1, {len(out)}, stdout);\n    return {code};\n'
    return f"#include <stdio.h>\n\nint main(void)\n{{\n{body}}}\n".encode()


def could_know(kept: Mapping[str, bytes], seen: Mapping[str, bytes], instruction: str) -> bool:
    """Whether every answer in `kept` is one that somebody may give who sees the instruction and the files `seen`.

    A short one is. A long one is if it stands in the instruction, or if its question is a file that can be seen.
    """
    known = {hashlib.sha256(data).hexdigest() for data in seen.values()}
    for name, answer in kept.items():
        if not name.endswith(".out") or len(answer) <= LONG:
            continue
        asked = kept.get(name.removesuffix("out") + "asked", b"").decode("ascii", "replace").split()
        told = " ".join(answer.decode("utf-8", "replace").split()) in " ".join(instruction.split())
        if not told and not known & set(asked):
            return False
    return True


def _at(path: str) -> str:
    return f"{KEPT}/{hashlib.sha256(path.encode()).hexdigest()[:12]}"


def _python(source: str) -> str:
    """A literal that a Python file may hold."""
    return ascii(source)


def _code(text: bytes | None) -> int | None:
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None


def _filled(template: str, **values: str) -> bytes:
    text = re.sub("@([A-Z]+)@", lambda match: values[match[1]], template)
    return text.encode("utf-8", "surrogateescape")
