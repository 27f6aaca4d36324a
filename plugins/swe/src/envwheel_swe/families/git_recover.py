"""Version control: from one tag to a commit that is found by bisection and undone."""

from __future__ import annotations

from envwheel.api import Alternative, Mutant
from envwheel_swe import naming
from envwheel_swe.families.git_bisect import undo_the_culprit
from envwheel_swe.families.git_repo import RULES, begin, change, recipe
from envwheel_swe.families.git_story import Story, tree_id
from envwheel_swe.families.git_unreachable import deleted, stashed
from envwheel_swe.family import Recipe, SweFamily

ID = "git_recover"


def make(level: int, seed: int) -> Recipe:
    """One environment of this family."""
    draw = naming.rng(ID, level, seed)
    story = Story(draw.choice(naming.PRODUCTS), draw)
    if level == 0:
        return (tag, branch, commit)[seed % 3](story)
    if level == 4:
        return undo_the_culprit(story, seed)
    return ((restore, revert), (lost, lost), (stashed, deleted))[level - 1][seed % 2](story)


def tag(story: Story) -> Recipe:
    """Level 0: tag the last commit."""
    begin(story, 1)
    name = f"v{story.draw.randint(1, 9)}.{story.draw.randint(0, 9)}"
    head, parent = story.head.id, story.head.parents[0]
    return recipe(
        story,
        f"In the git repository {story.root}, give the last commit the tag {name}.",
        f"git tag {name}",
        {"refs/heads/main": {"id": head}, f"refs/tags/{name}": {"peels": head}},
        (
            Mutant("commit_before", "not the last commit", f"git tag -f {name} {parent}"),
            Mutant("branch", "a branch is no tag", f"git tag -d {name}; git branch {name}"),
            Mutant("moved_on", "a commit that nobody asked for", "git commit -q --allow-empty -m x"),
        ),
        alternatives=(Alternative("annotated", "an annotated tag", f"git tag -a -m 'The release' {name}"),),
        knobs={"variant": "tag"},
    )


def branch(story: Story) -> Recipe:
    """Level 0: make a branch."""
    begin(story, 1)
    name = story.draw.choice(naming.FRUITS)
    head, parent = story.head.id, story.head.parents[0]
    return recipe(
        story,
        f"In the git repository {story.root}, make a new branch {name} at the last commit. Stay on main.",
        f"git branch {name}",
        {"refs/heads/main": {"id": head}, f"refs/heads/{name}": {"id": head}},
        (
            Mutant("commit_before", "not the last commit", f"git branch -f {name} {parent}"),
            Mutant("tag", "a tag is no branch", f"git branch -d {name}; git tag {name}"),
            Mutant("switched", "the new branch is checked out", f"git checkout -q {name}"),
        ),
        alternatives=(Alternative("and_back", "switch and come back", f"git switch -qc {name}; git switch -q main"),),
        knobs={"variant": "branch"},
    )


def commit(story: Story) -> Recipe:
    """Level 0: commit one new file."""
    begin(story, 1)
    path, text = f"{story.draw.choice(naming.FRUITS)}.txt", naming.words(story.draw, 8) + "\n"
    message = f"Add {path}"
    old = story.head
    story.write({path: text})
    wanted = {"parents": [old.id], "tree": tree_id({**old.files, path: text}), "message": message}
    return recipe(
        story,
        f"In the git repository {story.root}, commit the new file {path} with the message: {message}",
        f"git add {path}\ngit commit -q -m '{message}'",
        {"refs/heads/main": wanted},
        (
            Mutant("other_message", "not the message", "git commit -q --amend -m wip"),
            Mutant("two_commits", "a second commit", "git commit -q --allow-empty -m x"),
            Mutant("empty", "the file is not in it",
                   f"git rm -q --cached {path}; git commit -q --amend -m '{message}' --allow-empty"),
            Mutant("staged_only", "added, not committed", f"git reset -q --soft {old.id}"),
        ),
        alternatives=(Alternative("add_all", "everything is added", f"git add -A\ngit commit -q -m '{message}'"),),
        knobs={"variant": "commit"},
    )  # fmt: skip


def restore(story: Story) -> Recipe:
    """Level 1: a deleted file comes back as it last was."""
    settings = begin(story, 3)
    path, other = story.draw.sample(sorted(settings.files), 2)
    first = story.head.files[path]
    for _ in range(2):
        change(story, settings, path)
        change(story, settings, other)
    last = story.head.files[path]
    gone = story.commit({path: None, other: None}, "Remove what nobody uses")
    for _ in range(3):
        change(story, settings)
    old, message = story.head, f"Restore {path}"
    wanted = {"parents": [old.id], "tree": tree_id({**old.files, path: last}), "message": message}
    again = f"git reset -q --hard {old.id}\n"
    done = f"git add -A\ngit commit -q -m '{message}'"
    return recipe(
        story,
        f"{story.root} is a git repository. The file {path} was deleted from it some commits ago. Bring it back under "
        f"the same name, with the content that it had right before it was deleted, and commit that on `main`: exactly "
        f"one new commit on top of the last one, with the message `{message}`, that does nothing else. "
        + RULES.format(root=story.root, main=""),
        f'gone=$(git log -1 --format=%H --diff-filter=D -- {path})\ngit checkout -q "$gone^" -- {path}\n{done}',
        {"refs/heads/main": wanted},
        (
            Mutant("old_content", "an older content", again + f"cat > {path} <<'END'\n{first}END\n{done}"),
            Mutant("revert", "the whole commit is undone",
                   again + f"git revert -n {gone.id}\ngit commit -q -m '{message}'"),
            Mutant("not_committed", "staged only", f"git reset -q --soft {old.id}"),
            Mutant("time_travel", "main goes back to before",
                   f"git reset -q --hard {gone.parents[0]}\ngit commit -q --allow-empty -m '{message}'"),
        ),
        alternatives=(
            Alternative("show", "from the history's text",
                        f'mkdir -p "$(dirname {path})"\ngit show {gone.id}^:{path} > {path}\n{done}'),
        ),
        knobs={"variant": "restore"},
    )  # fmt: skip


def revert(story: Story) -> Recipe:
    """Level 1: one commit in the middle is undone."""
    settings = begin(story, 2)
    one, two = story.draw.sample(sorted(settings.files), 2)
    ticket = story.draw.randint(200, 900)
    before = dict(story.head.files)
    raised = {path: settings.changed(before[path], line, 5) for path, line in ((one, 26), (two, 27))}
    bad = story.commit(raised, f"Raise two numbers (request {ticket})")
    for path in (one, two, one):
        change(story, settings, path)
    near = story.commit({one: settings.changed(story.head.files[one], 20, 3)}, f"Raise a number (request {ticket + 1})")
    change(story, settings)
    old = story.head
    right = {path: _with_line(old.files[path], line, before[path]) for path, line in ((one, 26), (two, 27))}
    wanted = {"parents": [old.id], "tree": tree_id({**old.files, **right})}
    again = f"git reset -q --hard {old.id}\n"
    return recipe(
        story,
        f"{story.root} is a git repository. The commit on `main` whose subject ends with `(request {ticket})` was a "
        "mistake. Undo it: exactly one new commit on top of the last one on `main` that takes back all that this "
        "commit changed, and keeps all that later commits changed, also in the same files. Its message is free. "
        + RULES.format(root=story.root, main=""),
        f"git revert --no-edit \"$(git log -1 --format=%H --grep='(request {ticket})')\"",
        {"refs/heads/main": wanted},
        (
            Mutant("old_files", "later changes to the files are lost",
                   again + f"git checkout -q {bad.parents[0]} -- {one} {two}\ngit commit -q -m 'Undo'"),
            Mutant("one_file", "only one of the files",
                   again + f"git revert -n {bad.id}\ngit checkout -q HEAD -- {two}\ngit commit -q -m 'Undo'"),
            Mutant("neighbour", "another request", again + f"git revert --no-edit {near.id}"),
            Mutant("time_travel", "main goes back to before", f"git reset -q --hard {bad.parents[0]}"),
        ),
        alternatives=(
            Alternative("by_patch", "the patch is applied backwards",
                        f"git diff {bad.id}^ {bad.id} | git apply -R --index\ngit commit -q -m 'Take it back'"),
        ),
        knobs={"variant": "revert"},
    )  # fmt: skip


def _with_line(text: str, line: int, source: str) -> str:
    rows = text.splitlines(keepends=True)
    rows[line] = source.splitlines(keepends=True)[line]
    return "".join(rows)


def lost(story: Story) -> Recipe:
    """Level 2: a commit that was amended, then reset away, is found in the reflog."""
    settings = begin(story, 3)
    base, draw = story.head, story.draw
    subject = f"Add the settings of {draw.choice(('the archive', 'the mailer', 'the mirror', 'the scanner'))}"
    path = f"jobs/{draw.choice(naming.FRUITS)}.ini"
    text = settings.changed(next(iter(settings.files.values())), 3, 7)
    story.fork("retry", base)
    retry = story.commit({path: settings.changed(text, 5)}, subject)
    story.checkout("main")
    first = story.commit({path: text}, subject)
    second = story.commit({path: settings.changed(text, 8)}, subject, amend=True)
    third = story.commit({path: settings.changed(text, 9), "README": "See jobs/.\n"}, subject, amend=True)
    story.reset(base)
    fourth = story.commit({"README": "See the jobs.\n"}, "Say where things are")
    story.reset(base)
    for _ in range(3):
        change(story, settings)
    head = story.head
    name = f"rescue/{draw.choice(naming.FRUITS)}"
    refs = {"refs/heads/main": {"id": head.id}, "refs/heads/retry": {"id": retry.id}}
    return recipe(
        story,
        f"{story.root} is a git repository. On `main` there once was a commit with the subject `{subject}`. It was "
        "amended a few times, and later `main` was reset to a commit before it, so that it is on no branch any more; "
        "git still has it. Make the branch "
        f"`{name}` point at that commit in its last form, as it was after the last amending: the original commit "
        "itself (same commit id), no copy of it. The commit with the same subject on the branch `retry` is another "
        "one. " + RULES.format(root=story.root, main="`main`, "),
        f"for id in $(git reflog --format=%H main); do\n"
        f"  if [ \"$(git log -1 --format=%s \"$id\")\" = '{subject}' ]; then\n"
        f'    git branch {name} "$id"\n    break\n  fi\ndone',
        {**refs, f"refs/heads/{name}": {"id": third.id}},
        (
            Mutant("first_form", "before it was amended", f"git branch -f {name} {first.id}"),
            Mutant("second_form", "amended once only", f"git branch -f {name} {second.id}"),
            Mutant("copied", "a copy on top of main",
                   f"git switch -q {name}\ngit reset -q --hard main\ngit cherry-pick {third.id}\ngit switch -q main"),
            Mutant("later", "the commit that came after it", f"git branch -f {name} {fourth.id}"),
        ),
        alternatives=(
            Alternative("fsck", "the newest of the unreachable ones",
                        "git fsck --no-reflogs --unreachable | awk '$2 == \"commit\" { print $3 }' > /tmp/ids\n"
                        f"git branch {name} $(cat /tmp/ids |"
                        f" git log --stdin --no-walk --format='%ct %H %s' | sort -rn | grep '{subject}$' |"
                        " head -n 1 | cut -d' ' -f2)"),
        ),
        knobs={"subject": subject},
    )  # fmt: skip


FAMILY = SweFamily.of(ID, "Recover work with git", ("git", "debugging"), make)
