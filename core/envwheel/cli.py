"""The command line: `envwheel COMMAND ...`. A command's module is imported when it is called, not before.

Exit codes: 0 fine, 1 a verdict says no, 2 set-up, usage or infrastructure, 130 interrupted.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys

COMMANDS = {
    "check": "run the gate on environments or pools",
    "run": "turn the flywheel: propose, gate, calibrate, keep",
    "generate": "write a static pool: propose and gate, no solver",
    "compare": "the same targets through several proposers, side by side",
    "status": "what a run has done so far",
    "show": "an environment with its evidence, or a rollout",
    "digest": "what rollouts say: of a run, of Harbor's jobs, of ATIF files",
    "solve": "let a solver attempt an environment",
    "new": "write the skeleton of an environment",
    "import": "make environments of tasks in other formats",
    "fix": "make a shared verifier a separate one",
    "domains": "the domains that are installed",
    "plugin": "check a domain plugin",
    "doctor": "what this machine lacks, and the fix",
    "gc": "remove leftovers of runs that ended",
}
"""Name -> one line. The module is `envwheel.commands.NAME`, with `configure(parser)` and `run(args) -> int`."""


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    program = argv is None
    argv = sys.argv[1:] if argv is None else argv
    if not argv or argv[0] in ("-h", "--help"):
        print(_help())
        return 0 if argv else 2
    if argv[0] in ("-V", "--version"):
        from envwheel.version import __version__

        print(f"envwheel {__version__}")
        return 0
    if argv[0] not in COMMANDS:
        print(f"envwheel: there is no command '{argv[0]}'. Commands: {', '.join(COMMANDS)}.", file=sys.stderr)
        return 2
    from envwheel.errors import OrdinaryUser

    try:
        return _call(argv[0], argv[1:], program)
    except OrdinaryUser:  # everything that was opened is closed again
        from envwheel.sandbox import userns

        userns.restart()


def _help() -> str:
    lines = [f"  {name:<10}{text}" for name, text in COMMANDS.items()]
    return "\n".join(
        [
            "usage: envwheel COMMAND ...",
            "",
            "Build training environments for terminal agents: propose, gate, calibrate, repeat.",
            "",
            "commands:",
            *lines,
            "",
            "`envwheel COMMAND --help` tells more. Exit codes: 0 fine, 1 a verdict says no, 2 set-up or usage.",
        ]
    )


def _call(name: str, argv: list[str], program: bool) -> int:
    from envwheel.errors import EnvwheelError, OrdinaryUser

    command = importlib.import_module(f"envwheel.commands.{name}")
    parser = argparse.ArgumentParser(prog=f"envwheel {name}", description=COMMANDS[name].capitalize() + ".")
    command.configure(parser)
    args = parser.parse_args(argv)
    try:
        return command.run(args)
    except EnvwheelError as error:
        if program and isinstance(error, OrdinaryUser):
            raise
        from envwheel.console import plain

        print(f"envwheel {name}: {plain(str(error))}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"envwheel {name}: interrupted.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        if os.environ.get("ENVWHEEL_TRACEBACK"):
            raise
        print(f"envwheel {name}: {error}.", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
