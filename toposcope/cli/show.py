"""``toposcope show``: the machine as a drawing in the terminal."""

from __future__ import annotations

from toposcope.cli.common import Ascii, Host, OnePath, ProfileName, ProfilesDir, command, console, load_one
from toposcope.cli.render import Ends

NAME = "show"


@command
def run(
    path: OnePath,
    *,
    ends: Ends = None,
    ascii_only: Ascii = False,
    host: Host = None,
    profile: ProfileName = None,
    profiles: ProfilesDir = None,
) -> None:
    """Draw the machine in the terminal: wires from 100 columns on, an indented list below that."""
    from toposcope import app

    loaded = load_one(path, host=host, profile=profile, profiles=profiles)
    out = console()
    for line in app.drawing(loaded, width=out.width, ascii_only=ascii_only, ends=ends):
        out.print(line, no_wrap=True, overflow="ignore", crop=False)
