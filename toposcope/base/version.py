"""The version: one place for the package, the wheel and the recordings that it writes."""

__version__ = "0.1.0"
