"""Damage a text as copies are damaged: lines dropped, doubled, cut, swapped, indented, glued, filled with noise."""

from __future__ import annotations

from hypothesis import strategies as st


def damaged(texts):
    """Draw one of the texts with up to six damages."""
    step = st.tuples(st.sampled_from(_DAMAGES), st.integers(0, 200), st.text(max_size=12))
    return st.builds(_apply, st.sampled_from(texts), st.lists(step, max_size=6))


def _apply(text, steps):
    lines = text.split("\n")
    for damage, place, noise in steps:
        at = place % max(len(lines), 1)
        line = lines[at] if lines else ""
        lines[at : at + 1] = damage(line, place * 7 % (len(line) + 1), noise)
    return "\n".join(lines)


def drop(line, cut, noise):
    return []


def double(line, cut, noise):
    return [line, line]


def keep_the_beginning(line, cut, noise):
    return [line[:cut]]


def keep_the_end(line, cut, noise):
    return [line[cut:]]


def wrap(line, cut, noise):
    return [line[:cut], line[cut:]]


def put_noise_before(line, cut, noise):
    return [noise, line]


def put_noise_inside(line, cut, noise):
    return [line[:cut] + noise + line[cut:]]


def quote(line, cut, noise):
    return [f"> {line}"]


def lose_the_box(line, cut, noise):
    return [line.replace("|", " ")]


def squeeze(line, cut, noise):
    return [" ".join(line.split())]


_DAMAGES = (
    drop,
    double,
    keep_the_beginning,
    keep_the_end,
    wrap,
    put_noise_before,
    put_noise_inside,
    quote,
    lose_the_box,
    squeeze,
)
