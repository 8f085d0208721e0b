"""How the outputs of lspci are recognised, by name and by content."""

from __future__ import annotations

import pytest

from toposcope.collectors.lspci import COLLECTOR


def _named(words):
    return next((s.key, m.groupdict().get("argument")) for s in COLLECTOR.sources if (m := s.named.match(words)))


def _begun(text):
    found = ((s, s.begins.search(text)) for s in COLLECTOR.sources if s.begins is not None)
    return next(((source.key, match.start()) for source, match in found if match), None)


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("lspci", "lspci"),
        ("lspci -nn -D", "lspci"),
        ("lspci -k", "lspci"),
        ("lspci | grep -itm 3 acme", "lspci"),
        ("lspci PIPE grep -vtm acce", "lspci"),
        ("lspci -vvv", "lspci-vvv"),
        ("lspci -nnvv", "lspci-vvv"),
        ("lspci -xxx -vvv", "lspci-vvv"),
        ("lspci -d 10de: -v", "lspci-vvv"),
        ("lspci -t", "lspci-t"),
        ("lspci -t -vvv", "lspci-t"),
        ("lspci -tnnv", "lspci-t"),
        ("lspci -PP", "lspci-pp"),
        ("lspci -P -vvv", "lspci-pp"),
        ("lspci -mm", "lspci-mm"),
        ("lspci -vmmkn", "lspci-mm"),
    ],
)
def test_options_name_the_source(words, key):
    assert _named(words)[0] == key


@pytest.mark.parametrize(
    ("words", "argument"),
    [
        ("lspci -vvv -s 3b:00.0", "3b:00.0"),
        ("lspci -s 3b:00.0 -vvv", "3b:00.0"),
        ("lspci -vvvs 0000:3b:00.0", "0000:3b:00.0"),
        ("lspci -vvv -s 3b 00.0", "3b 00.0"),
        ("lspci -vvv -s 3b:00.0 | grep Lnk", "3b:00.0"),
        ("lspci -vvv -s 0:3b:0.0", "0:3b:0.0"),
        ("lspci -vvv -s 3b:00", None),
        ("lspci -vvv | xargs -s 3b:00.0", None),
    ],
)
def test_the_slot_asked_for_is_the_argument(words, argument):
    assert _named(words) == ("lspci-vvv", argument)


def test_other_commands_are_not_lspci():
    assert not any(source.named.match("lspcidrake -v") for source in COLLECTOR.sources)


HEAD = "3b:00.0 3D controller: Acme Widget (rev a1)\n"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (HEAD, "lspci"),
        (HEAD + HEAD.replace("3b", "3c"), "lspci"),
        ("0000:01:00.0 0302: 1abc:2330 (rev a1)\n", "lspci"),
        ("00:01.0/01:00.0 3D controller: Acme\n", "lspci"),
        (HEAD + "\tSubsystem: Acme\n", "lspci-vvv"),
        (HEAD + "    Flags: bus master\n", "lspci-vvv"),
        (HEAD + "Subsystem: Acme\n", "lspci-vvv"),
        (HEAD + "\t!!! Unknown header type 7f\n", "lspci-vvv"),
        ("-[0000:00]-+-00.0  Acme\n", "lspci-t"),
        ("-+-[10000:e0]---01.0-[e2]--\n", "lspci-t"),
        ("2026-01-02T03:04:05Z -[0000:00]-+-00.0  Acme\n", "lspci-t"),
        ("12:" + HEAD, "lspci"),
        ("`-[0000:00]-+-00.0  Acme\n", "lspci-t"),
        (" \\-[0000:00]-+-00.0  Acme\n", "lspci-t"),
        ("> [0000:00]-+-00.0  Acme\n", "lspci-t"),
        ("Slot:\t01:00.0\nClass:\t0302\n", "lspci-mm"),
        ('01:00.0 "3D controller" "Acme" "Widget" -ra1\n', "lspci-mm"),
    ],
)
def test_content_names_the_source(text, key):
    assert _begun("My box shows:\n\n" + text + "\nWhat now?\n") == (key, len("My box shows:\n\n"))


@pytest.mark.parametrize(
    "text",
    [
        "0000:31:00.0 widget_0 (MT9 - PART) Card fw 1 port 1 (ACTIVE) ==> ens4f0 (Down)\n",
        "Device: 1abc\n",
        "| 0  Widget   On | 00000000:3B:00.0 Off |\n",
        "pci 0000:3b:00.0: [1abc:2330] type 00 class 0x030200\n",
        "-[ ok ]- all is well\n",
        "[0000:04:00.4] fault\n",
    ],
)
def test_other_tools_are_not_taken_for_lspci(text):
    assert _begun(text) is None


def test_one_command_of_a_live_run_gives_it_all():
    commands = {source.key: (source.command, source.root) for source in COLLECTOR.sources if source.command}

    assert commands == {"lspci-vvv": (("lspci", "-D", "-nn", "-vvv"), True)}
