"""Trees of lspci: every form and order, and what copies do to them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collectors.lspci.printers import functions, machines, tree
from toposcope.base import Capture, ProblemKind, pci_address
from toposcope.collectors.lspci.tree import parse

FORMS = st.fixed_dictionaries({n: st.booleans() for n in ("joined", "descending", "names", "ids")})

SMALL = """\
-+-[0000:80]-+-00.0  Acme Host
 |           \\-01.0-[81-83]----00.0-[82-83]--+-00.0-[83]----00.0  Acme GPU
 |                                           \\-01.0-[84]--
 \\-[0000:00]-+-00.0  Acme Host
             \\-02.0-[01]----00.0  Acme NIC
"""


def _read(text, **more):
    return parse(Capture("lspci-t", "tree", text, **more))


def _seen(text):
    return {d.address: (d.parent, d.at_root, d.secondary, d.subordinate) for d in _read(text).records}


def _meant(roots):
    return {
        pci_address(one.address): (
            pci_address(one.parent.address) if one.parent else None,
            one.parent is None,
            one.secondary,
            one.subordinate,
        )
        for one in functions(roots)
    }


@given(machines(), FORMS)
def test_what_is_drawn_is_read_back(roots, form):
    reading = _read(tree(roots, **form))

    assert reading.problems == ()
    assert _seen(tree(roots, **form)) == _meant(roots)
    assert len(reading.records) == len(functions(roots))


@given(machines(), FORMS)
def test_names_and_ids_are_read_back_where_they_are_drawn(roots, form):
    named = {device.address: (device.name, device.pci_id) for device in _read(tree(roots, **form)).records}
    for one in functions(roots):
        shown = form["names"] and one.secondary is None
        name = one.name if shown else None
        assert named[pci_address(one.address)] == (name, one.pci_id if shown and form["ids"] else None)


@given(machines(), FORMS)
def test_a_tree_keeps_its_shape_without_leading_blanks(roots, form):
    text = "\n".join(line.lstrip() for line in tree(roots, **form).split("\n"))

    assert _seen(text) == _meant(roots)


@given(machines(), FORMS)
def test_a_tree_keeps_its_shape_with_runs_of_blanks_made_one(roots, form):
    text = re.sub(" +", " ", tree(roots, **form))

    assert _seen(text) == _meant(roots)


@given(machines(), FORMS, st.sampled_from(["    ", "> ", "\t", "\xa0\xa0"]))
def test_a_tree_may_be_indented_or_quoted(roots, form, before):
    text = "".join(before + line for line in tree(roots, **form).splitlines(keepends=True))

    assert _seen(text) == _meant(roots)


@given(machines(), FORMS)
def test_carriage_returns_and_trailing_blanks_change_nothing(roots, form):
    text = tree(roots, **form).replace("\n", "   \r\n")

    assert _read(text).problems == ()
    assert _seen(text) == _meant(roots)


@given(machines(domains=("0000",)), FORMS, st.data())
def test_a_lost_line_moves_no_device_to_another_bus(roots, form, data):
    lines = tree(roots, **form).splitlines(keepends=True)
    lost = data.draw(st.integers(0, len(lines) - 1))
    seen, meant = _seen("".join([*lines[:lost], "[...]\n", *lines[lost + 1 :]])), _meant(roots)

    for address, (parent, _, secondary, _) in seen.items():
        assert address in meant
        assert parent in (meant[address][0], None)
        assert secondary == meant[address][2]


@given(st.text())
def test_no_text_makes_it_raise(text):
    _read(text)


@given(machines(), FORMS, st.data())
def test_no_damage_makes_it_raise(roots, form, data):
    text = tree(roots, **form)
    at = data.draw(st.integers(0, len(text)))
    junk = data.draw(st.text(alphabet="+-\\|[]:. 0af\n", max_size=8))

    _read(text[:at] + junk + text[at + data.draw(st.integers(0, 9)) :])


def test_each_device_has_its_line():
    lines = [(record.address, record.origin.line) for record in _read(SMALL, first_line=11).records]

    assert lines[0] == ("0000:80:00.0", 11)
    assert ("0000:83:00.0", 12) in lines
    assert ("0000:01:00.0", 15) in lines


def test_a_moved_tree_is_reported_once():
    text = "\n".join(line.removeprefix(" ") for line in SMALL.split("\n"))
    reading = _read(text)

    assert [(problem.kind, problem.origin.line) for problem in reading.problems] == [(ProblemKind.REPAIRED, 2)]
    assert _seen(text) == _seen(SMALL)


def test_a_part_without_its_root_is_read_below_its_bridges_and_reported():
    reading = _read(" |           \\-01.0-[81-83]----00.0-[82-83]----00.0  Acme GPU\n")

    assert [(r.address, r.parent) for r in reading.records] == [
        ("0000:81:00.0", None),
        ("0000:82:00.0", "0000:81:00.0"),
    ]
    assert "domain 0000 is assumed" in reading.problems[0].message


def test_a_part_without_its_root_has_no_address_where_domains_differ():
    text = "-[0001:00]---00.0-[01]--\n-[0002:00]---00.0-[01]--\n" + 20 * " " + "+-01.0-[81]----00.0  Acme GPU\n"
    reading = _read(text)

    assert {record.address for record in reading.records} == {"0001:00:00.0", "0002:00:00.0"}
    assert len(reading.problems) == 1


def test_buses_below_a_bridge_are_read_as_blocks():
    text = """\
-[0000:5d]---02.0-[5e-60]----00.0-[5f-60]--+-[0000:5f]-
                                           \\-[0000:60]-+-00.0  Acme NIC
                                                       \\-00.1  Acme NIC
"""
    reading = _read(text)

    assert reading.problems == ()
    assert {r.address: r.parent for r in reading.records} == {
        "0000:5d:02.0": None,
        "0000:5e:00.0": "0000:5d:02.0",
        "0000:60:00.0": "0000:5e:00.0",
        "0000:60:00.1": "0000:5e:00.0",
    }


def test_a_bridge_that_was_not_configured_has_bus_zero_below_it():
    assert _seen("-[0000:05]-+-01.0--\n           \\-02.0  Acme\n")["0000:05:01.0"] == (None, True, 0, 0)


def test_cut_lines_are_reported_and_the_list_goes_on():
    text = SMALL.replace(" |           \\-01.0-", "[...]\n |           \\-01.0-")
    reading = _read(text)

    assert [problem.origin.line for problem in reading.problems] == [2]
    assert _seen(text) == _seen(SMALL)


def test_text_after_a_tree_is_no_problem_and_text_inside_is():
    assert _read(SMALL + "\nThat is my box.\n").problems == ()
    first, rest = SMALL.split("\n", 1)
    assert [p.text for p in _read(f"{first}\nThat is my box.\n{rest}").problems] == ["That is my box."]


def test_what_stands_behind_a_bridge_and_makes_no_sense_is_reported():
    assert len(_read("-[0000:00]-+-01.0-[zz]--+-00.0\n").problems) == 1


def test_a_text_without_a_tree_is_a_problem():
    assert [problem.text for problem in _read("sh: lspci: not found\n").problems] == ["sh: lspci: not found"]


def test_virtual_functions_are_told_by_their_name():
    (record,) = _read("-[0000:00]---01.0  Acme Widget Virtual Function [1234:5678]\n").records

    assert record.virtual
    assert (record.name, record.pci_id) == ("Acme Widget Virtual Function", "1234:5678")


def test_a_line_of_many_megabytes_is_left_out():
    reading = _read(SMALL + "x" * 1_000_000 + "\n")

    assert len(reading.records) == len(_read(SMALL).records)
    assert len(reading.problems) == 1


def test_a_chain_longer_than_any_machine_makes_it_not_raise():
    chain = "-[0000:00]---" + 60 * "00.0-[01]----" + "00.0  Acme\n"

    assert len(_read(chain).records) == 61
    assert len(_read(50 * chain.rstrip("\n")).problems) == 1


def test_a_tree_may_begin_at_its_last_root():
    text = "Part of it:\n\n \\-[0000:00]-+-00.0  Acme Host\n             \\-01.0-[11]----00.0  Acme NIC\n"
    reading = _read(text)

    assert {r.address: r.parent for r in reading.records} == {
        "0000:00:00.0": None,
        "0000:00:01.0": None,
        "0000:11:00.0": "0000:00:01.0",
    }


@pytest.mark.parametrize("start", ["`-[0000:00]-+-", "[0000:00]-+-", ">> >> -[0000:00]-+-"])
def test_a_damaged_start_is_still_one(start):
    indent = 11 * " "
    text = f"{start}00.0  Acme Host\n{indent}+-01.0-[01]--\n{indent}\\-02.0-[02]----00.0  Acme GPU\n"

    assert _seen(text.replace(indent, ">> >> " + indent) if ">" in start else text)["0000:02:00.0"][0] == "0000:00:02.0"


def test_a_name_broken_by_a_mail_is_joined():
    text = """\
-[0000:00]-+-00.0  Acme Host
           +-02.0-[04]--+-00.0  Acme Corporation OneAndOnly 10Gb NIC
(be3)
           |            \\-00.1  Acme Corporation OneAndOnly 10Gb NIC [12ab:34cd]
           \\-03.0  Acme
"""
    reading = _read(text)
    names = {record.address: record.name for record in reading.records}

    assert names["0000:04:00.0"] == "Acme Corporation OneAndOnly 10Gb NIC (be3)"
    assert [problem.kind for problem in reading.problems] == [ProblemKind.REPAIRED]


def test_an_unknown_device_is_named_by_its_ids():
    (record,) = _read("-[0000:00]---01.0  Device 1abc:0008\n").records

    assert (record.name, record.pci_id) == ("Device", "1abc:0008")


def test_a_cut_among_the_guides_is_reported():
    text = SMALL.replace(" \\-[0000:00]", " |           ...\n \\-[0000:00]")

    assert [problem.origin.line for problem in _read(text).problems] == [4]
    assert _seen(text) == _seen(SMALL)


def test_a_thousand_broken_lines_are_not_all_one_name():
    text = (
        "-[0000:00]-+-00.0  Example Corporation Bridge of a long\n"
        + "name that goes on and\n" * 1000
        + "           \\-01.0  Example Thing\n"
    )

    reading = parse(Capture("lspci-t", "lspci_-t", text))

    assert max(len(device.name or "") for device in reading.records) < 1000
    assert any("more" in problem.message for problem in reading.problems)
