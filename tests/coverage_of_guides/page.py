"""docs/coverage.md, from the claims."""

from collections import Counter
from collections.abc import Iterable
from itertools import groupby

from tests.coverage_of_guides.claims import Claim, Proof, all_claims
from tests.coverage_of_guides.proving import place_of
from tests.doc_blocks import ROOT

PAGE = ROOT / "docs" / "coverage.md"
STATES = ("shown", "in part", "not here")
TOP = """\
# What other guides promise

People come from a guide: aitraining's page on GRPO, TRL's pages of 0.15 and of today, two guides about TRL. Here is
every feature, flag, example, metric and tip of theirs, with what shows it in this project: a flag of `grpo-env train`,
a metric that a short training logged, a test by its name, a command, a page. What cannot be shown without a GPU or the
hub has its reason. `python -m tests.coverage_of_guides` writes this page, and a test looks for each flag, metric, test
and page.

"""


def coverage_page() -> str:
    """The whole page."""
    claims = all_claims()
    parts = [TOP, _summary(claims)]
    for guide, group in groupby(claims, key=lambda claim: claim.guide):
        parts.append(f"\n## {guide}\n")
        for section, rows in groupby(group, key=lambda claim: claim.section):
            parts.append(f"\n### {section}\n\n")
            parts.append(_table(["promise", "shown by"], ([row.what, _proofs(row)] for row in rows)))
    return "".join(parts)


def _summary(claims: list[Claim]) -> str:
    rows = []
    for guide, group in groupby(claims, key=lambda claim: claim.guide):
        states = Counter(claim.state for claim in group)
        rows.append([guide, *(str(states[state]) for state in STATES)])
    return _table(["guide", *STATES], rows)


def _proofs(claim: Claim) -> str:
    return "; ".join(map(_shown, claim.proofs))


def _shown(proof: Proof) -> str:
    if proof.kind == "page":
        path = proof.text.removeprefix("docs/")
        return f"[{path}]({path})"
    if proof.kind == "test":
        return f"`{place_of(proof.text)}::{proof.text}`"
    if proof.kind == "metric":
        return f"metric `{proof.text}`"
    if proof.kind in ("flag", "command"):
        return f"`{proof.text}`"
    return f"{proof.kind} {proof.text}"


def _table(headers: list[str], rows: Iterable[list[str]]) -> str:
    lines = [headers, ["---"] * len(headers), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
