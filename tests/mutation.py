"""Damages bytes as copies, logs and enemies damage them: cut, dropped, doubled, swapped, joined, blown up, re-encoded.

Every damage takes the bytes, a random generator and the texts that may be mixed in, and returns bytes. The same seed
gives the same damage.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    Damage = Callable[[bytes, Sequence[bytes], Random], bytes]

LONGEST = 2_000_000
"""Bytes that a damaged text may have: a bigger one only takes longer."""
WINDOW = 60_000
"""Bytes of a long text that are looked at, so that a big recording does not take all the time."""

_NUMBER = re.compile(rb"\d+")
_WORD = re.compile(rb"[\w.:+/-]+")
_HUGE = (
    b"0", b"-1", b"00", b"255", b"256", b"65535", b"4294967296", b"999999", b"1000000000", b"9" * 30, b"9" * 5000,
    b"1e308", b"1e999", b"nan", b"inf", b"ff", b"ffffffff", b"-9223372036854775809", "\u0664\u0662".encode(),
    "\u00b2".encode(), "\u2460".encode(),
)  # fmt: skip
_WORDS = (
    b"", b"X", b"NV0", b"NV999999", b"SYS", b"N/A", b"network", b"CPU0", b"NUMA0", b"host", b"remote", b"SW0", b"GPU0",
    b"GPU0/p1", b"NIC0", b"NIC0/p1", b"NVSW0", b"pci0000:00", b"0000:00:00.0", b"ffff:ff:1f.7", b"mlx5_0", b"NPU0",
    b"memory-CPU0", b"[Unknown Error]", b"x16", b"32GT/s", b"rev ff", b"-", b"--help", b"../../etc/passwd", b"<b>&amp;",
    b"\x1b[31m", b"\x00", b"\r", b"\t", b"\x0c", "\u202e".encode(), "\u2028".encode(), b"\xff\xfe", b"%s{}",
)  # fmt: skip


def mutated(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    """Damage a text from one to eight times, mostly once or twice."""
    data = _window(data, random)
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        data = random.choice(DAMAGES)(data, others, random)[:LONGEST]
    return data


def _window(data: bytes, random: Random) -> bytes:
    if len(data) <= WINDOW or random.random() < 0.02:
        return data
    size = random.randrange(2_000, WINDOW)
    start = 0 if random.random() < 0.5 else data.rfind(b"\n", 0, random.randrange(len(data))) + 1
    return data[start : start + size]


def _span(size: int, random: Random) -> tuple[int, int]:
    """Choose a stretch: mostly a short one."""
    start = random.randrange(size + 1)
    length = random.choice((1, 1, 2, 4, 8, 32, 256, size))
    return start, min(size, start + random.randint(0, max(length, 1)))


def cut_the_end(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def cut_the_beginning(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    return data[random.randrange(len(data) + 1) :]


def drop_bytes(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    start, end = _span(len(data), random)
    return data[:start] + data[end:]


def double_bytes(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    start, end = _span(len(data), random)
    return data[:end] + data[start:end] + data[end:]


def swap_bytes(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    (a, b), (c, d) = sorted((_span(len(data), random), _span(len(data), random)))
    b = min(b, c)
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def change_bytes(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 2, 8, 64)) if changed else 0):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def insert_bytes(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    return data[:start] + random.randbytes(random.choice((1, 4, 40))) + data[start:]


def insert_word(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    return data[:start] + random.choice(_WORDS + _HUGE) + data[start:]


def _in_lines(change: Callable[[list[bytes], int, int, Random], list[bytes]]) -> Damage:
    """Make a damage of lines: ``change`` gets them, and the first and the one after the last of a stretch."""

    def damage(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
        lines = data.split(b"\n")
        start, end = _span(len(lines) - 1, random)
        return b"\n".join(change(lines, start, max(end, start + 1), random))

    damage.__name__ = change.__name__
    return damage


def drop_lines(lines: list[bytes], start: int, end: int, random: Random) -> list[bytes]:
    return lines[:start] + lines[end:]


def double_lines(lines: list[bytes], start: int, end: int, random: Random) -> list[bytes]:
    return lines[:end] + lines[start:end] + lines[end:]


def move_lines(lines: list[bytes], start: int, end: int, random: Random) -> list[bytes]:
    moved, rest = lines[start:end], lines[:start] + lines[end:]
    place = random.randrange(len(rest) + 1)
    return rest[:place] + moved + rest[place:]


def shuffle_lines(lines: list[bytes], start: int, end: int, random: Random) -> list[bytes]:
    return lines[:start] + random.sample(lines[start:end], end - start) + lines[end:]


def repeat_a_line(lines: list[bytes], start: int, end: int, random: Random) -> list[bytes]:
    return lines[:start] + [lines[start]] * random.choice((2, 10, 100, 1000)) + lines[start + 1 :]


def glue_lines(lines: list[bytes], start: int, end: int, random: Random) -> list[bytes]:
    return [*lines[:start], b"".join(lines[start:end]), *lines[end:]]


def wrap_lines(lines: list[bytes], start: int, end: int, random: Random) -> list[bytes]:
    width = random.choice((20, 40, 80, 132))
    wrapped = [line[at : at + width] for line in lines[start:end] for at in range(0, len(line) or 1, width)]
    return lines[:start] + wrapped + lines[end:]


def quote_lines(lines: list[bytes], start: int, end: int, random: Random) -> list[bytes]:
    before = random.choice((b"> ", b"    ", b"\t", b"| ", b"[1,0]<stdout>:", b"node1: ", b"root@box:~# "))
    return lines[:start] + [before + line for line in lines[start:end]] + lines[end:]


def lengthen_a_line(lines: list[bytes], start: int, end: int, random: Random) -> list[bytes]:
    long = lines[start] * (random.choice((100, 10_000, 300_000)) // (len(lines[start]) + 1) + 1)
    return [*lines[:start], long[:300_000], *lines[start + 1 :]]


def change_indents(lines: list[bytes], start: int, end: int, random: Random) -> list[bytes]:
    changed = [b" \t"[random.randrange(2) :][:1] * random.randrange(9) + line.strip() for line in lines[start:end]]
    return lines[:start] + changed + lines[end:]


def _replaced(pattern: re.Pattern[bytes], by: Sequence[bytes]) -> Damage:
    def damage(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
        share = random.choice((0.001, 0.01, 0.2))
        one = random.choice(by)
        some = random.random() < 0.5

        def word(match: re.Match[bytes]) -> bytes:
            return (one if some else random.choice(by)) if random.random() < share else match[0]

        return pattern.sub(word, data, count=20_000)

    return damage


def copy_words(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    """Put words of the text in the places of others: names that are there twice, addresses below themselves."""
    words = [match[0] for match in _WORD.finditer(data, 0, 20_000)]
    return _replaced(_WORD, random.sample(words, min(len(words), 5)) or [b""])(data, others, random)


def join_another(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    other = _window(random.choice(others), random)
    start, place = random.randrange(len(other) + 1), random.randrange(len(data) + 1)
    return random.choice(
        (data + other, data + b"\n" + other, other + data, data[:place] + other[start:], data[:place] + b"\n\n" + other)
    )


def weave_another(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    """Two programs wrote to one file at once."""
    ours, theirs = data.split(b"\n")[:400], _window(random.choice(others), random).split(b"\n")[:400]
    return b"\n".join(line for pair in zip(ours, theirs, strict=False) for line in pair)


def repeat_all(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    return data * random.choice((2, 3, 10)) if len(data) < 50_000 else data


def change_encoding(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    text = data.decode("utf-8", errors="replace")
    encoding = random.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "latin-1", "utf-7", "cp037", "utf-32"))
    return text.encode(encoding, errors="replace")


def change_line_ends(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    return data.replace(
        b"\n", random.choice((b"\r\n", b"\r", b"\r\r\n", b"\n\n", b"\\n", b" ", b"\x1b[K\n", b"\x00\n"))
    )


def change_blanks(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    old, new = random.choice(
        ((b"\t", b" "), (b"\t", b""), (b" ", b"\t"), (b" ", b""), (b"  ", b" "), (b"\t", b"        "))
    )
    return data.replace(old, new)


DAMAGES = (
    cut_the_end,
    cut_the_beginning,
    drop_bytes,
    double_bytes,
    swap_bytes,
    change_bytes,
    insert_bytes,
    insert_word,
    *map(
        _in_lines,
        (
            drop_lines, double_lines, move_lines, shuffle_lines, repeat_a_line, glue_lines, wrap_lines, quote_lines,
            lengthen_a_line, change_indents,
        ),
    ),
    _replaced(_NUMBER, _HUGE),
    _replaced(_NUMBER, _HUGE),
    _replaced(_NUMBER, (b"0", b"1", b"2", b"3", b"7", b"10")),
    _replaced(_WORD, _WORDS),
    copy_words,
    copy_words,
    join_another,
    weave_another,
    repeat_all,
    change_encoding,
    change_line_ends,
    change_blanks,
)  # fmt: skip
