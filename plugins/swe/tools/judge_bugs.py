"""Runs in a box for find_bugs.py: /work/job.json holds a package with its tests, and variants of single files.

Prints one JSON object a line: the outcome of the package's tests as it is, four times, and then the failing tests of
each variant (null: they did not end, or not with a report).
"""

import json
import os
import resource
import subprocess

ROOT = "/tmp/root"
with open("/work/job.json") as given:
    JOB = json.load(given)


def write(path, text):
    os.makedirs(os.path.dirname(f"{ROOT}/{path}"), exist_ok=True)
    with open(f"{ROOT}/{path}", "w") as file:
        file.write(text)


def run(seed):
    """Outcome by test, or None."""
    given = json.dumps({"secret": "S", "modules": JOB["modules"], "skip": []})
    env = {"PATH": "/usr/bin:/bin", "PYTHONHASHSEED": str(seed), "PYTHONDONTWRITEBYTECODE": "1"}
    argv = ["/usr/bin/python3", "/work/runner.py", ROOT]
    try:
        done = subprocess.run(argv, input=given.encode(), capture_output=True, env=env, timeout=40)
    except subprocess.TimeoutExpired:
        return None
    last = done.stdout.decode().strip().splitlines()[-1:]
    return json.loads(last[0][1:]) if last and last[0].startswith("S") else None


def main():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))  # some variants never stop growing
    for path, text in JOB["files"].items():
        write(path, text)
    print(json.dumps({"pristine": [run(seed) for seed in range(4)]}), flush=True)
    for at, (path, text) in enumerate(JOB["variants"]):
        write(path, text)
        found = run(at)
        write(path, JOB["files"][path])
        failed = found and sorted(name for name, outcome in found.items() if outcome == "failed")
        print(json.dumps({"variant": at, "found": failed}), flush=True)


main()
