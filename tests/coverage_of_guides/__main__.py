"""python -m tests.coverage_of_guides: write docs/coverage.md; with --record, train first and note what is logged."""

import sys
import tempfile
from pathlib import Path

from tests.coverage_of_guides.claims import all_claims
from tests.coverage_of_guides.metrics import record
from tests.coverage_of_guides.page import PAGE, coverage_page
from tests.coverage_of_guides.proving import check

if "--record" in sys.argv[1:]:
    with tempfile.TemporaryDirectory() as folder:
        record(Path(folder))
for claim in all_claims():
    for proof in claim.proofs:
        check(proof)
PAGE.write_text(coverage_page(), encoding="utf-8")
print(f"Wrote {PAGE}.")
