"""Bandwidth: bytes per second, one direction, decimal. The only unit inside the program.

Network rates come in bits per second one way and vendor figures often in bytes per second both ways:
they are converted once, at the edge, by one of the two constructors.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Bandwidth:
    """How much passes in one direction, in whole bytes per second."""

    bytes_per_s: int

    @classmethod
    def gigabytes(cls, value: float) -> Bandwidth:
        """Make a bandwidth from GB/s (10^9 bytes/s, one direction)."""
        return cls(round(value * 1e9))

    @classmethod
    def gigabits(cls, value: float) -> Bandwidth:
        """Make a bandwidth from Gb/s (10^9 bits/s, one direction), as network rates are given."""
        return cls(round(value * 1e9 / 8))

    @property
    def gbs(self) -> float:
        """The figure in GB/s, as the JSON outputs give it."""
        return self.bytes_per_s / 1e9

    @property
    def gbps(self) -> float:
        """The figure in Gb/s, as ports are named."""
        return self.bytes_per_s * 8 / 1e9

    def __add__(self, other: Bandwidth) -> Bandwidth:
        return Bandwidth(self.bytes_per_s + other.bytes_per_s)

    def __mul__(self, factor: float) -> Bandwidth:
        return Bandwidth(round(self.bytes_per_s * factor))

    __rmul__ = __mul__

    def __truediv__(self, other: Bandwidth) -> float:
        return self.bytes_per_s / other.bytes_per_s

    def __str__(self) -> str:
        """Print GB/s with a sensible number of digits: ``31.5``, ``300``, ``0.98``."""
        return f"{self.gbs:.0f}" if self.gbs >= 99.95 else f"{self.gbs:.{1 if self.gbs >= 0.995 else 2}f}"  # noqa: PLR2004
