"""Recordings: a folder, an archive, a file, standard input or a live host becomes captures; all text enters here."""

from toposcope.recording.live import collect, collect_copy
from toposcope.recording.read import parse, read, text_of
from toposcope.recording.recording import Command, Outcome, Recording
from toposcope.recording.redaction import redacted
from toposcope.recording.survey import SourceState, Standing, survey
from toposcope.recording.write import write

__all__ = [
    "Command",
    "Outcome",
    "Recording",
    "SourceState",
    "Standing",
    "collect",
    "collect_copy",
    "parse",
    "read",
    "redacted",
    "survey",
    "text_of",
    "write",
]
