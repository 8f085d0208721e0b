"""Widths of texts, and texts cut to a room."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toposcope.render.glyphs import shorten, text_width


@given(st.text(max_size=40), st.floats(0, 300))
def test_a_shortened_text_fits_and_one_character_more_would_not(text: str, room: float) -> None:
    cut = shorten(text, room, 10)

    assert cut == text or cut.endswith("…")
    assert text_width(cut, 10) <= room or cut == "…"
    if cut != text:
        longer = [text[:end].rstrip() + "…" for end in range(len(text)) if len(text[:end].rstrip()) >= len(cut)]
        assert all(text_width(each, 10) > room for each in longer)


def test_a_name_of_a_million_characters_is_shortened() -> None:
    assert shorten("9" * 1_000_000, 25, 10) == "99…"
