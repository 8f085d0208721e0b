"""Recordings: a folder, an archive, a file, standard input or a live host becomes captures; all text enters here."""

from toposcope.recording.read import parse, read, text_of
from toposcope.recording.recording import Command, Recording

__all__ = ["Command", "Recording", "parse", "read", "text_of"]
