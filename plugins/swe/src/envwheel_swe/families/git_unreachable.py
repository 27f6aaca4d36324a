"""Level 3 of git_recover: what only the object store still has, among several things that look like it."""

from __future__ import annotations

from envwheel.api import Alternative, Mutant
from envwheel_swe import naming
from envwheel_swe.families.git_repo import RULES, begin, change, recipe, three
from envwheel_swe.families.git_story import Story, tree_id
from envwheel_swe.family import Recipe


def stashed(story: Story) -> Recipe:
    """Level 3: the newest of several stashes that were cleared becomes a commit on top of main."""
    settings = begin(story, 3)
    draw = story.draw
    path, other = draw.sample(sorted(settings.files), 2)
    note, title = f"{draw.choice(naming.FRUITS)}.txt", f"{draw.choice(naming.NOUNS)} draft"
    lines = (27, 28)
    forms = []
    for number in range(3):
        mine = {path: settings.changed(story.head.files[path], lines[number % 2]), note: naming.words(draw, 9) + "\n"}
        mine[other] = settings.changed(story.head.files[other], 25)
        if number == 1:
            del mine[note]
        story.write(mine)
        story.run(f"git stash push -q -u -m '{title}'")
        forms.append((mine, story.head.files))
        change(story, settings, path)
    story.write({other: settings.changed(story.head.files[other], 26)})
    story.run(f"git stash push -q -m '{title}, other ideas'")
    story.run("git stash clear")
    change(story, settings, other)
    mine, base = forms[2]
    old = story.head
    right = {p: t if p == note else _merged(old.files[p], t, base[p]) for p, t in mine.items()}
    name, message = f"rescue/{draw.choice(naming.FRUITS)}", f"Take up the {title}"
    wanted = {"parents": [old.id], "tree": tree_id({**old.files, **right}), "message": message}
    find = _unreachable(f"On main: {title}")
    take = f"git checkout -q -B {name} main\n{{}}\ngit add -A\ngit commit -q -m '{message}'\ngit checkout -q main"
    return recipe(
        story,
        f"{story.root} is a git repository. Unfinished work was put away in it with `git stash` under the message "
        f"`{title}` (exactly that), several times, each time starting from the last commit of `main`; some stashes "
        "held new files too. Then somebody "
        "cleared all stashes. Find the one that was made last under this message, and make the new branch "
        f"`{name}` of it: one commit on top of the last commit of `main`, with the message `{message}`, that makes the "
        "changes which the stash held (its new file too) and no others; what `main` has got since stays. "
        "The list of stashes stays empty. " + RULES.format(root=story.root, main="`main`, "),
        f"{find}\n" + take.format('git stash apply -q "$id"'),
        {"refs/heads/main": {"id": old.id}, f"refs/heads/{name}": wanted},
        (
            Mutant("oldest", "the first of the stashes",
                   f"{find.replace('tail', 'head')}\n" + take.format('git stash apply -q "$id"')),
            Mutant("no_new_file", "its new file is left out",
                   f"{find}\n" + take.format('git cherry-pick -n -m 1 "$id"')),
            Mutant("old_files", "later changes to the files are lost",
                   f"{find}\n" + take.format('git checkout -q "$id" -- . && git checkout -q "$id^3" -- .')),
            Mutant("branch_of_stash", "the branch is the stash itself", f'{find}\ngit branch -f {name} "$id"'),
        ),
        alternatives=(
            Alternative("cherry_pick", "its commits are picked",
                        f"{find}\n" + take.format('git cherry-pick -n -m 1 "$id"\ngit checkout -q "$id^3" -- .')),
        ),
        knobs={"variant": "stash"},
    )  # fmt: skip


def _unreachable(subject: str) -> str:
    """Bash that sets `id` to the newest unreachable commit with exactly this subject."""
    return (
        "id=$(git fsck --no-reflogs --unreachable 2>/dev/null | awk '$2 == \"commit\" { print $3 }' |\n"
        "  git log --stdin --no-walk=unsorted --format='%ct %H %s' | sort -n |\n"
        f"  grep -E '^[0-9]+ [0-9a-f]+ {subject}$' | tail -n 1 | cut -d' ' -f2)"
    )


def _merged(now: str, mine: str, base: str) -> str:
    """`now` with the lines that `mine` changed in `base`."""
    rows = zip(now.splitlines(True), mine.splitlines(True), base.splitlines(True), strict=True)
    return "".join(ours if ours != old else new for new, ours, old in rows)


def deleted(story: Story) -> Recipe:
    """Level 3: a deleted branch, of which older forms lie about too, when the reflogs are gone."""
    settings = begin(story, 3)
    draw = story.draw
    feature = f"feature/{draw.choice(naming.PRODUCTS)}"
    path, other = draw.sample(sorted(settings.files), 2)
    older = story.head
    change(story, settings, path)
    newer = story.head
    subjects = [f"{verb} the {noun}" for verb, noun in zip(("Prepare", "Add", "Use"), three(draw), strict=True)]
    tips = []
    for base, finished in ((older, True), (newer, False), (newer, True)):
        story.fork(feature, base)
        for number, subject in enumerate(subjects if finished else subjects[:2]):
            target = (path, other, path)[number]
            story.commit({target: settings.changed(story.head.files[target], 24 + number)}, subject)
        tips.append(story.head)
        if base is newer and finished:
            wrong = settings.changed(story.head.files[other], 29)
            tips.append(story.commit({other: wrong}, subjects[2], amend=True))
            tips.append(story.commit({other: settings.changed(wrong, 28)}, subjects[2], amend=True))
        story.checkout("main")
        story.delete(feature)
    story.fork("try", newer)
    tips.append(story.commit({other: settings.changed(story.head.files[other], 23)}, subjects[2]))
    story.checkout("main")
    story.delete("try")
    change(story, settings, other)
    story.forget()
    head, right = story.head, tips[4]
    return recipe(
        story,
        f"{story.root} is a git repository. Its branch `{feature}` was deleted, and the reflogs are lost; git still "
        "has the commits. The branch had three commits with the subjects "
        + ", ".join(f"`{subject}`" for subject in subjects)
        + f" (oldest first), right on top of the commit of `main` whose subject is `{newer.subject}` and whose id "
        f"starts with {newer.id[:10]}. Older forms of the same work lie about as well: on another commit of `main`, "
        "unfinished, or before the last commit was amended; the form whose last commit was made last (by its "
        f"committer date) counts. Make the branch `{feature}` again, with the original commits (same ids). "
        + RULES.format(root=story.root, main="`main`, "),
        _unreachable(subjects[2]).replace("| tail", f"| while read -r t c s; do\n"
        f'    [ "$(git rev-parse "$c~3" 2>/dev/null)" != {newer.id} ] || echo "$t $c $s"\n  done | tail')
        + f'\ngit branch {feature} "$id"',
        {"refs/heads/main": {"id": head.id}, f"refs/heads/{feature}": {"id": right.id}},
        (
            Mutant("older_base", "the form on an older commit", f"git branch -f {feature} {tips[0].id}"),
            Mutant("not_amended", "before it was amended", f"git branch -f {feature} {tips[2].id}"),
            Mutant("amended_once", "amended once only", f"git branch -f {feature} {tips[3].id}"),
            Mutant("other_branch", "the newest commit of that subject", f"git branch -f {feature} {tips[5].id}"),
        ),
        alternatives=(Alternative("update_ref", "plumbing", f"git update-ref refs/heads/{feature} {right.id}"),),
        knobs={"variant": "branch"},
    )  # fmt: skip
