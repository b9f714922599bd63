"""`python -m tests.ports.page` writes the ports into the page that shows them; a test compares the two."""

import re

from tests.doc_blocks import ROOT
from tests.ports.port import PORTS

PAGE = ROOT / "docs" / "other-frameworks.md"


def with_ports(text: str) -> str:
    """The text of the page with the module of every port in the block that has its name."""
    for port in PORTS:
        if file := port.module:
            block = rf'(```python title="{file.name}"\n).*?```'
            text = re.sub(
                block, lambda found, file=file: f"{found.group(1)}{file.read_text()}```", text, flags=re.DOTALL
            )
    return text


if __name__ == "__main__":
    PAGE.write_text(with_ports(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
