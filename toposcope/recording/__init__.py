"""Recordings: a folder, an archive, a file, standard input or a live host becomes captures; all text enters here.

Reading is what most runs do. What makes a recording stands in its own modules: ``live`` (``collect``), ``write``,
``redaction``, ``survey`` (what is missing), ``script``.
"""

from toposcope.recording.read import parse, read, text_of
from toposcope.recording.recording import Command, Outcome, Recording

__all__ = ["Command", "Outcome", "Recording", "parse", "read", "text_of"]
