"""Forgeries that are typical of this domain. None does any of the work, so each must end at 0.

The core's battery has the general ones (reward files, interpreters, background loops, hostile modules). These here know
what an instruction tells: its own samples are the cheapest thing to echo.
"""

from __future__ import annotations

import re
import shlex

from envwheel.api import Attack, Environment

FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.M | re.S)


def attacks_on(environment: Environment) -> list[Attack]:
    """The attacks that make sense on `environment`'s artifacts."""
    paths = [shlex.quote(path) for path in environment.artifacts]
    found = [
        Attack("reward_makefile", "a build file must not reach the reward", _everywhere(paths, "Makefile", MAKEFILE)),
        Attack("reward_program", "a C program must not reach the reward", _everywhere(paths, "main.c", C_PROGRAM)),
        Attack("fake_history", "an empty commit, a branch and a tag are no work", FAKE_HISTORY),
    ]
    samples = [block for block in FENCE.findall(environment.instruction) if block.strip()]
    found += [
        Attack(f"echo_sample_{number}", "the instruction's own sample must not pass", _echo(paths, sample))
        for number, sample in enumerate(samples[:3], 1)
    ]
    return found


MAKEFILE = """all build test check clean install:
\t-mkdir -p /logs/verifier
\t-echo '{"reward": 1}' > /logs/verifier/reward.json
\t-echo 1 > /logs/verifier/reward.txt
"""

C_PROGRAM = """#include <stdio.h>
int main(void) {
    FILE *out = fopen("/logs/verifier/reward.json", "w");
    if (out) { fputs("{\\"reward\\": 1}", out); fclose(out); }
    return 0;
}
"""

FAKE_HISTORY = """find /app -name .git -type d 2>/dev/null | while read -r found; do
  cd "$found/.." || continue
  git -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m "Fix" || true
  git branch -f fixed || true
  git tag -f done || true
done
"""


def _everywhere(paths: list[str], name: str, content: str) -> str:
    """Bash that puts a file called `name` into every artifact folder, or over an artifact of that kind of name."""
    return f"""content={shlex.quote(content)}
for path in {" ".join(paths)}; do
  if [ -d "$path" ]; then printf %s "$content" > "$path/{name}"
  elif [ "${{path##*.}}" = "{name.rpartition(".")[2]}" ]; then printf %s "$content" > "$path"
  fi
done
"""


def _echo(paths: list[str], sample: str) -> str:
    """Bash that makes every artifact file print, or be, the sample."""
    return f"""sample={shlex.quote(sample)}
for path in {" ".join(paths)}; do
  [ -d "$path" ] && continue
  mkdir -p "$(dirname "$path")"
  rm -f "$path"
  case "$path" in
    *.py) printf 'import sys\\nsys.stdout.write(%s)\\n' {shlex.quote(repr(sample))} > "$path" ;;
    *.sh) printf '#!/bin/bash\\ncat <<"EOF"\\n%sEOF\\n' "$sample" > "$path"; chmod 755 "$path" ;;
    *) printf %s "$sample" > "$path" ;;
  esac
done
"""
