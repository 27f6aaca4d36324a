"""Records for the tests of the flywheel."""

from __future__ import annotations

from envwheel.ledger import Attempt, GateNote, Plan, ProposalNote, RoundEnd, RunStart, Target, Tokens, TrialNote

SHA = "a" * 64


def run_start() -> RunStart:
    return RunStart(
        name="t",
        envwheel="0",
        domains={"swe": "0"},
        proposer="procedural",
        solver="simulated",
        simulated=True,
        engine="fake",
        seed=0,
        started="2026-01-01T00:00:00+00:00",
    )


def target(candidate: str = "r01-c001", family: str = "links", level: int = 0, **more: object) -> Target:
    fields = {"domain": "swe", "skills": ("files",), "seed": 1, "expected": 0.5, "reason": "because", **more}
    return Target(candidate=candidate, name=f"{family}-{candidate}", family=family, level=level, **fields)


def plan(*targets: Target, round: int = 1) -> Plan:
    return Plan(round=round, targets=targets, rollouts_read=0)


def gate_note(candidate: str = "r01-c001", verdict: str = "ok", **more: object) -> GateNote:
    fields = {
        "round": 1,
        "candidate": candidate,
        "environment": "e",
        "tree_sha256": SHA,
        "verdict": verdict,
        "code": "",
        "message": "",
        "stage": "mutants",
        "seconds": 2.0,
        **more,
    }
    return GateNote(**fields)


def proposal(candidate: str = "r01-c001", outcome: str = "made", **more: object) -> ProposalNote:
    fields = {
        "round": 1,
        "candidate": candidate,
        "id": f"{candidate}-p2",
        "method": "terminal",
        "model": "m",
        "outcome": outcome,
        **more,
    }
    return ProposalNote(**fields)


def trial(candidate: str = "r01-c001", number: int = 1, passed: bool | None = True, **more: object) -> TrialNote:
    outcome = "scored" if passed is not None else "infra"
    fields = {
        "round": 1,
        "candidate": candidate,
        "environment": "e",
        "id": f"{candidate}-t{number:02d}",
        "rollout": f"rollouts/1/{candidate}-t{number:02d}.json",
        "outcome": outcome,
        "reward": None if passed is None else float(passed),
        "value": None if passed is None else float(passed),
        "passed": passed,
        "reason": "done",
        "turns": 1,
        "seconds": 1.0,
        "tokens": Tokens(input=10, output=5),
        **more,
    }
    return TrialNote(**fields)


def attempt(candidate: str = "r01-c001", verdict: str = "admitted", code: str = "", **more: object) -> Attempt:
    fields = {
        "round": 1,
        "candidate": candidate,
        "domain": "swe",
        "family": "links",
        "level": 0,
        "skills": ("files",),
        "seed": 1,
        "method": "procedural",
        "model": None,
        "solver": "simulated",
        "simulated": True,
        "environment": f"links-{candidate}",
        "tree_sha256": SHA,
        "stage": "pool" if verdict == "admitted" else "band",
        "verdict": verdict,
        "code": code,
        "message": "",
        "valid": verdict != "infra",
        "wall_s": 4.0,
        **more,
    }
    return Attempt(**fields)


def round_end(round: int = 1) -> RoundEnd:
    return RoundEnd(round=round, finished="2026-01-01T00:01:00+00:00")
