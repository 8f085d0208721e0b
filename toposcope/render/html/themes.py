"""The palette as custom properties of CSS, so that one drawing serves a light and a dark ground and the printer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.model import Grade, Medium
from toposcope.render.palette import DARK, FILLS, GRADE_FADE, LIGHT, LINE_WIDTHS, dark_ink

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.render.palette import Theme

ASSUMED_BOX = 0.45
"""How far the colours of a box that only a profile tells of are led towards the ground."""
_FADED = {"": 0.0, "-derived": GRADE_FADE[Grade.DERIVED], "-assumed": GRADE_FADE[Grade.ASSUMED]}


def theme_css() -> str:
    """Return the properties of both grounds and the rules that choose among them."""
    light, dark = "".join(_properties(LIGHT)), "".join(_properties(DARK))
    return "".join(
        (
            f":root{{color-scheme:light dark;{light}}}",
            f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}",
            *_ink_rules(),
        )
    )


def _properties(theme: Theme) -> Iterator[str]:
    yield f"--ground:{theme.ground};--text:{theme.text};--faint:{theme.faint_text};--frame:{theme.frame};"
    yield f"--unknown:{theme.unknown};--slow:{theme.bottleneck};"
    for medium in Medium:
        for suffix, share in _FADED.items():
            yield f"--{medium.value}{suffix}:{theme.lighter(theme.medium(medium), share)};"
    yield f"--chip:{theme.media['chip']};"
    for name, (fill, edge) in theme.fills.items():
        yield f"--{name}-fill:{fill};--{name}-edge:{edge};"
        yield f"--{name}-fill-assumed:{theme.lighter(fill, ASSUMED_BOX)};"
        yield f"--{name}-edge-assumed:{theme.lighter(edge, ASSUMED_BOX)};"
    for step, colour in enumerate(theme.heat):
        yield f"--heat{step}:{colour};--heat{step}-ink:{'#ffffff' if dark_ink(colour) else '#101820'};"


def _ink_rules() -> Iterator[str]:
    for medium in Medium:
        for suffix in _FADED:
            chosen = f".{suffix[1:]}" if suffix else ""
            yield f".m-{medium.value}{chosen}{{--ink:var(--{medium.value}{suffix})}}"
    yield ".m-chip{--ink:var(--chip)}.m-unknown{--ink:var(--unknown)}"
    for name in dict.fromkeys(FILLS.values()):
        yield f".f-{name}{{--fill:var(--{name}-fill);--edge:var(--{name}-edge)}}"
        yield f".f-{name}.assumed{{--fill:var(--{name}-fill-assumed);--edge:var(--{name}-edge-assumed)}}"
    for step, width in enumerate(LINE_WIDTHS):
        yield f".w{step}{{--width:{width}px}}"
        yield f".heat{step},.practice .used{step}{{background:var(--heat{step});color:var(--heat{step}-ink)}}"
