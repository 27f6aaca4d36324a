"""What the levels of git_recover share: a repository of settings with a few commits, and the recipe of its story."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from envwheel.api import Alternative, Mutant
from envwheel_swe import naming
from envwheel_swe.families.git_story import Commit, Settings, Story
from envwheel_swe.family import Recipe

RULES = (
    "Nothing else changes: {main}other branches, tags and the stash stay as they are, `main` is checked out at the end "
    "with a clean working tree (no untracked files either), and no merge, revert or the like is left half done. Only "
    "the folder {root} is carried over to grading."
)


def begin(story: Story, commits: int = 6) -> Settings:
    """The first commits on main: files of settings that change."""
    draw = story.draw
    settings = Settings(draw, (f"{folder}/{noun}.ini" for folder in ("site", "jobs") for noun in three(draw)))
    first = {path: text for path, text in settings.files.items() if path.startswith("site/")}
    story.commit({"README": f"Settings of {story.root[5:]}.\n", **first}, "Start with the settings of the site")
    story.commit({p: t for p, t in settings.files.items() if p not in first}, "Add the settings of the jobs")
    for _ in range(commits):
        change(story, settings)
    return settings


def three(draw: random.Random) -> list[str]:
    """Three different nouns."""
    return draw.sample(naming.NOUNS, 3)


def change(story: Story, settings: Settings, path: str = "", line: int = -1) -> Commit:
    """A commit that changes one number, somewhere in the first half of a file if not told where."""
    path = path or story.draw.choice(sorted(p for p in settings.files if p in story.head.files))
    line = line if line >= 0 else story.draw.randrange(0, 12)
    text = story.head.files[path]
    return story.commit({path: settings.changed(text, line)}, settings.subject(text, line))


def recipe(
    story: Story, task: str, solve: str, refs: Mapping[str, Any], mutants: tuple[Mutant, ...], **more: Any
) -> Recipe:
    """The recipe of a told story; the reference, mutants and alternatives start in the repository."""
    here = f"cd {story.root}\n"
    others = tuple(Alternative(item.id, item.why, here + item.script) for item in more.pop("alternatives", ()))
    return Recipe(
        instruction=task,
        artifacts=(story.root,),
        solve=here + solve,
        check="git_repo",
        expect={"repo": story.root, "refs": refs},
        setup=story.setup,
        mutants=tuple(Mutant(mutant.id, mutant.why, here + mutant.script) for mutant in mutants),
        alternatives=others,
        **more,
    )
