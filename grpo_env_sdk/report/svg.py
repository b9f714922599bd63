"""A plot as SVG: axes with round numbers, coloured lines, and bands."""

import math
from collections.abc import Iterable, Sequence
from html import escape

from grpo_env_sdk.report.exhibits import Plot

WIDTH, HEIGHT = 680, 300
LEFT, RIGHT, TOP, BOTTOM = 76, 190, 12, 44
COLOURS = 6
"""The number of line styles in the style sheet: `.line0` to `.line5`."""
LARGEST, NEAREST = 1e15, 1e-9
"""Points beyond the first are left out; numbers that are nearer than the second, relative to their size, are one."""
NUMBERS = 5
"""About how many steps an axis is divided into."""
Point = tuple[float, float]


def svg(plot: Plot) -> str:
    """The plot as an `<svg>` element; colours come from the page's style sheet."""
    lines = {name: [point for point in line if _is_drawable(point)] for name, line in plot.lines.items()}
    bands = {name: [point for point in band if _is_drawable(point)] for name, band in plot.bands.items()}
    points = [point for line in lines.values() for point in line]
    points += [(x, y) for band in bands.values() for x, *ys in band for y in ys]
    if not points:
        return '<p class="note">Nothing to draw.</p>'
    frame = _Frame([x for x, _ in points], [y for _, y in points])
    parts = [*frame.axes(plot.x, plot.y)]
    for number, (name, line) in enumerate(lines.items()):
        style = f"line{number % COLOURS}"
        if band := bands.get(name):
            outline = [(x, high) for x, _, high in band] + [(x, low) for x, low, _ in reversed(band)]
            parts.append(f'<polygon class="band {style}" points="{frame.path(outline)}"/>')
        parts.append(f'<polyline class="{style}" points="{frame.path(line)}"/>')
        y = TOP + 14 + 18 * number
        parts.append(
            f'<line class="{style}" x1="{WIDTH - RIGHT + 12}" x2="{WIDTH - RIGHT + 30}" y1="{y - 4}" y2="{y - 4}"/>'
        )
        parts.append(f'<text x="{WIDTH - RIGHT + 36}" y="{y}">{escape(name)}</text>')
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(plot.title)}">{"".join(parts)}</svg>'


def _is_drawable(point: Iterable[float]) -> bool:
    """Whether its numbers fit on axes: none is infinite or NaN."""
    return all(abs(number) <= LARGEST for number in point)


class _Frame:
    """The axes, and the position of a point in the drawing."""

    def __init__(self, xs: Sequence[float], ys: Sequence[float]) -> None:
        self.xs = round_numbers(min(xs), max(xs))
        self.ys = round_numbers(min(ys), max(ys))

    def at(self, x: float, y: float) -> Point:
        left = (x - self.xs[0]) / (self.xs[-1] - self.xs[0])
        up = (y - self.ys[0]) / (self.ys[-1] - self.ys[0])
        return LEFT + left * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    def path(self, line: Iterable[Point]) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.at(*point) for point in line))

    def axes(self, x_name: str, y_name: str) -> list[str]:
        found = []
        for x in self.xs:
            place, _ = self.at(x, self.ys[0])
            found.append(f'<line class="grid" x1="{place:.1f}" x2="{place:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
            found.append(f'<text class="middle" x="{place:.1f}" y="{HEIGHT - BOTTOM + 16}">{x:g}</text>')
        for y in self.ys:
            _, place = self.at(self.xs[0], y)
            found.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{place:.1f}" y2="{place:.1f}"/>')
            found.append(f'<text class="end" x="{LEFT - 8}" y="{place + 4:.1f}">{y:g}</text>')
        middle = (LEFT + WIDTH - RIGHT) / 2
        found.append(f'<text class="middle" x="{middle}" y="{HEIGHT - 6}">{escape(x_name)}</text>')
        height = (TOP + HEIGHT - BOTTOM) / 2
        turned = f'transform="rotate(-90 14 {height})"'
        found.append(f'<text class="middle" x="14" y="{height}" {turned}>{escape(y_name)}</text>')
        return found


def round_numbers(low: float, high: float) -> list[float]:
    """Round, evenly spaced numbers that cover `low` to `high`; for a single number they also cover 0."""
    if high - low < NEAREST * max(1.0, abs(low), abs(high)):
        low, high = (min(0.0, low), max(0.0, low)) if abs(low) >= NEAREST else (0.0, 1.0)
    raw = (high - low) / NUMBERS
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= raw)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(number * step, 12) for number in range(first, last + 1)]
