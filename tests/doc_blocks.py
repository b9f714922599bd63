"""The pages of the docs and their code blocks, and how what a page shows is compared with what was printed."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = [
    path.relative_to(ROOT)
    for pattern in ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "example_envs/*/README.md", "plugins/*/README.md")
    for path in sorted(ROOT.glob(pattern))
]
_FENCE = re.compile(r'( *)(`{3,})(\w*)(?: +title="([^"]+)")?\s*')


@dataclass(frozen=True)
class Block:
    """One fenced block: its place, its language, the file name in its title, and why it is not run."""

    place: str
    language: str
    title: str | None
    not_run: str | None
    text: str


def blocks_of(page):
    """Every fenced block of a page."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    found, start = [], None
    for number, line in enumerate(lines, 1):
        fence = _FENCE.fullmatch(line)
        if start is None and fence:
            indent, ticks, language, title = fence.groups()
            marked = re.fullmatch(r"<!-- not run: (.+) -->", lines[number - 2].strip()) if number > 1 else None
            start = number
        elif start is not None and line.strip() == ticks:
            text = "".join(f"{line.removeprefix(indent)}\n" for line in lines[start : number - 1])
            found.append(Block(f"{page}:{start}", language, title, marked and marked.group(1), text))
            start = None
        else:
            assert start is not None or "```" not in line, f"{page}:{number}: this form of fence is not supported"
    assert start is None, f"{page}:{start}: the fence is not closed"
    return found


def commands_of(block):
    """Each command of a console block, with the lines shown below it."""
    found = []
    for line in block.text.replace("\\\n", "").splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            assert found, f"{block.place} starts with output instead of a command"
            found[-1][1].append(line)
    return found


def check_shown(place, shown, printed, exactly=False):
    """Compare what a page shows with what was printed; `...` matches any text, and alone on a line any lines."""
    pattern = "".join(r"(?:.*\n)*" if line == "..." else _line_pattern(line, exactly) for line in shown)
    text = printed.strip("\n") + "\n"
    assert re.fullmatch(pattern or r"\n", text), f"{place} does not show what was printed:\n{text}"


def _line_pattern(line, exactly):
    pattern = re.escape(line.rstrip()).replace(r"\.\.\.", ".*")
    if not exactly:  # the width of a column depends on what else is installed
        pattern = re.sub(r"(?:\\ ){2,}", " {2,}", pattern)
    return pattern + r" *\n"
