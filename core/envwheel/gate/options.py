"""What a judgement is asked to do, and the words of its findings."""

from __future__ import annotations

from dataclasses import dataclass

from envwheel.sandbox.aliases import Alias

STEPS = ("schema", "lint", "build", "empty", "reference", "attack", "mutants")


@dataclass(frozen=True, slots=True)
class GateOptions:
    """How to judge.

    - `only`: these steps (None: all). `build` is done for the later ones in any case.
    - `repeat`: plain trials of reference and untouched state in place of the gate's own number; 1 means one of each
      and none that is perturbed.
    - `all_findings`: go on after a fault and tell all of them.
    - `need_solution`: False judges a folder without solution/: `reference`, `mutants` and the attacks that are made of
      the reference's artifacts are left out.
    - `jobs`: trials at the same time, when the caller brings no pool of its own.
    - `keep_images`: leave the built images to the caller.
    - `aliases`: stand-ins for foreign images; the engine was told of them.
    - `back_off_s`: waits before the first try and the retries of something that our side failed.
    """

    only: tuple[str, ...] | None = None
    repeat: int | None = None
    all_findings: bool = False
    need_solution: bool = True
    jobs: int = 2
    keep_images: bool = False
    aliases: tuple[Alias, ...] = ()
    back_off_s: tuple[float, ...] = (0.0, 1.0, 5.0)

    def asks(self, step: str) -> bool:
        """Whether `step` is to be judged."""
        needs_solution = step in ("reference", "mutants")
        return (self.only is None or step in self.only) and (self.need_solution or not needs_solution)


@dataclass(frozen=True, slots=True)
class Fault:
    """A certain fault of a candidate: one of GATE's codes and a sentence."""

    code: str
    message: str
