"""The claims of the guides, each with its proofs, as `guides.yaml` has them."""

from dataclasses import dataclass
from pathlib import Path

import yaml

DATA = Path(__file__).with_name("guides.yaml")
KINDS = ("flag", "metric", "test", "command", "page", "not here:")


@dataclass(frozen=True)
class Proof:
    """What shows a claim, by its kind; `not here` has a reason."""

    kind: str
    text: str


@dataclass(frozen=True)
class Claim:
    """One promise of a guide."""

    guide: str
    section: str
    what: str
    proofs: tuple[Proof, ...]

    @property
    def state(self) -> str:
        """Whether it is `shown`, shown `in part` or `not here`."""
        kinds = {proof.kind for proof in self.proofs}
        if "not here:" not in kinds:
            return "shown"
        return "in part" if kinds > {"not here:"} else "not here"


def all_claims() -> list[Claim]:
    """Every claim, in the order of the file."""
    text = yaml.safe_load(DATA.read_text(encoding="utf-8"))
    return [
        Claim(guide, section, what, tuple(map(_proof, [proofs] if isinstance(proofs, str) else proofs)))
        for guide, sections in text.items()
        for section, claims in sections.items()
        for what, proofs in claims.items()
    ]


def _proof(written: str) -> Proof:
    kind = next(kind for kind in KINDS if written.startswith(f"{kind} "))
    return Proof(kind, written.removeprefix(kind).strip())
