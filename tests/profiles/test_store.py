"""Folders, options, overriding, and errors that name the file and the key."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.base import InputError, UsageError
from toposcope.profiles import folders
from toposcope.profiles.machine import Machine
from toposcope.profiles.store import filled, find_machine, load_catalogue, load_machines, shipped, user_folder

SMALL = """
title = "One box"
[cpu]
sockets = 2
[accelerators]
model = "L40S"
at = ["socket0", "socket1"]
pcie = { generation = 4 }
"""

WITH_OPTION = """
title = "With an option"
from = "box"
options.nic = { default = 200, values = [100, 200] }
[[nics]]
at = ["socket0"]
pcie = { generation = 4 }
rate_gbps = "{nic}"
"""


def folder(tmp_path: Path, part: str = "machines", **texts: str) -> Path:
    (tmp_path / part).mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (tmp_path / part / f"{name}.toml").write_text(text)
    return tmp_path


def refused(*places: Path, load=load_machines) -> str:
    with pytest.raises(InputError) as caught:
        load(*places)
    assert caught.value.problems
    return str(caught.value)


def test_a_machine_is_named_after_its_file_where_it_has_no_name(tmp_path):
    machines = load_machines(folder(tmp_path, box=SMALL))
    assert machines["box"].name == "box"


def test_the_shipped_folder_lies_beside_the_package_in_a_checkout():
    assert shipped() == Path(folders.__file__).parents[2] / "profiles"


def test_the_shipped_folder_is_the_packed_one_where_there_is_one(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(folders, "__file__", str(tmp_path / "folders.py"))
    assert folders.shipped() == tmp_path / "data"


def test_the_user_folder_is_one_for_this_program():
    assert "toposcope" in str(user_folder())


def test_a_folder_that_does_not_exist_adds_nothing(tmp_path):
    assert load_machines(tmp_path / "absent") == {}
    assert load_machines(shipped(), tmp_path / "absent") == load_machines()


def test_machines_come_in_name_order(tmp_path):
    machines = load_machines(folder(tmp_path, b=SMALL, c=SMALL), folder(tmp_path / "more", a=SMALL))
    assert list(machines) == ["a", "b", "c"]


def test_a_machine_of_the_user_wins_over_the_shipped_one_of_its_name(tmp_path):
    own = load_machines(shipped(), folder(tmp_path, **{"dgx-1v": SMALL}))
    assert own["dgx-1v"].title == "One box"
    assert own["dgx-2"] == load_machines()["dgx-2"]


def test_the_user_s_machine_may_start_from_the_shipped_one_of_its_own_name(tmp_path):
    text = 'title = "Mine"\nfrom = "dgx-h100"\ncpu.numa_per_socket = 2\n'
    machine = load_machines(shipped(), folder(tmp_path, **{"dgx-h100": text}))["dgx-h100"]
    assert (machine.title, machine.cpu.numa_per_socket) == ("Mine", 2)
    assert machine.fabric == load_machines()["dgx-h100"].fabric


def test_a_shipped_machine_keeps_its_shipped_parent_whatever_the_user_calls_so(tmp_path):
    own = load_machines(shipped(), folder(tmp_path, **{"dgx-h100": SMALL}))
    assert own["h800-8"] == load_machines()["h800-8"]


@pytest.mark.parametrize(("text", "rate"), [("opt", 200), ("opt,nic=100", 100), (" opt , nic = 100 ", 100)])
def test_options_are_filled_in_with_the_choice_or_the_default(tmp_path, text, rate):
    machines = load_machines(folder(tmp_path, box=SMALL, opt=WITH_OPTION))
    assert machines["opt"].nics[0].rate_gbps == "{nic}"
    assert find_machine(text, machines).nics[0].rate_gbps == rate


def test_filling_in_leaves_a_machine_without_options_as_it_is():
    machine = load_machines()["dgx-1v"]
    assert filled(machine) == machine


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("dgx-h10", "did you mean dgx-h100"),
        ("qqqq", "known are"),
        ("a100-2-2-4-6-8-8,nik=400", "did you mean nic"),
        ("a100-2-2-4-6-8-8,zzz=1", "its options are: nic"),
        ("dgx-1v,nic=100", "its options are: none"),
        ("a100-2-2-4-6-8-8,nic=300", "100, 200, 400"),
        ("a100-2-2-4-6-8-8,nic", "100, 200, 400"),
        ("", "known are"),
    ],
)
def test_a_wrong_name_option_or_value_is_wrong_usage_and_says_what_there_is(text, told):
    with pytest.raises(UsageError, match=told):
        find_machine(text, load_machines())


@given(st.text())
def test_any_text_finds_a_machine_or_is_wrong_usage(text):
    machines = {"box": Machine(name="box", title="One box")}
    with suppress(UsageError):
        assert find_machine(text, machines).name == "box"


def test_a_file_that_is_no_toml_is_told_with_its_line(tmp_path):
    message = refused(folder(tmp_path, bad="title = 1\nname =\n"))
    assert "bad.toml" in message
    assert "line 2" in message


def test_a_file_that_is_no_text_is_told(tmp_path):
    (folder(tmp_path) / "machines" / "bad.toml").write_bytes(b"\xff\xfe\x00")
    assert "bad.toml" in refused(tmp_path)


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        ('fabric = { medium = "nvlink", link_gbs = "25" }', "fabric.link_gbs: Expected `float`, got `str`"),
        ('[[nics]]\nat = ["socket0"]\npcie = { generation = 4 }\nrate_gbps = []', "nics[0].rate_gbps"),
        ('colour = "red"', "colour is no known key"),
        ("hostbridges = 'each'", "did you mean host_bridges?"),
        ('[[nics]]\nat = ["socket0"]\npcie = { generaton = 4 }', "did you mean generation?"),
        ('[[nics]]\nat = ["socket7"]\npcie = { generation = 4 }', "there is no socket7"),
        ('[[nics]]\nat = ["shelf"]\npcie = { generation = 4 }', "'shelf' is no place"),
        ('[[nics]]\nat = ["gpu2"]\npcie = { generation = 4 }', "there is no gpu2"),
        ('[[nics]]\nat = ["gpu1"]\npcie = { generation = 4 }\nnames = []', "nics[0].names has 0 entries"),
        ('[[nics]]\nat = ["gpu1"]\npcie = { generation = 4 }\nrate_gbps = "{x}"', "'{x}' is no option"),
        ("options.nic = { default = 3, values = [1, 2] }", "options.nic.default: 3 is none of its values"),
        ('fabric = { medium = "nvlink", link_gbs = 25 }', "one of: switches, pairs, groups"),
        ('fabric = { medium = "nvlink", link_gbs = 25, pairs = [[0, 9, 1]] }', "there is no accelerator 9"),
        ('fabric = { medium = "nvlink", link_gbs = 25, switches = 2 }', "links_per_switch"),
        ('fabric = { medium = "nvlink", link_gbs = 25, pairs = [[0, 1, 1], [1, 0, 1]] }', "[0, 1] is said twice"),
        ('fabric = { medium = "hccs", link_gbs = 25, groups = [[0, 1, 1]] }', "names an accelerator twice"),
        ('fabric = { medium = "nvlink", link_gbs = 25, switches = 3, boards = 2 }', "fabric.boards"),
        ('fabric = { medium = "nvlink", link_gbs = 25, switches = 2, trunk_links = 1 }', "fabric.trunk_links"),
        (
            'fabric = { medium = "nvlink", link_gbs = 25, switches = 2, boards = 0 }',
            "fabric.boards: Expected `int` >= 1",
        ),
        ('fabric = { medium = "wool", link_gbs = 25, pairs = [] }', "fabric.medium: Invalid enum value 'wool'"),
        ('host_bridges = "none"', "host_bridges: Invalid enum value 'none'"),
        ('[[nics]]\nat = ["gpu1"]\npcie = { generation = 4 }\npci = ["first"]', "'first' is no PCI address"),
        ('switches = { at = ["gpu0"], uplink = { generation = 4 } }', "switches.at"),
    ],
)
def test_a_wrong_key_or_value_is_told_with_file_and_key(tmp_path, extra, told):
    message = refused(folder(tmp_path, wrong=extra + "\n" + SMALL if extra[0] != "[" else SMALL + extra))
    assert "wrong.toml" in message
    assert told in message


def test_several_faults_of_several_files_are_told_at_once(tmp_path):
    one = folder(tmp_path, a="title = 1\nguest = 2\n", b="x =", c=SMALL)
    with pytest.raises(InputError) as caught:
        load_machines(one)
    told = [(Path(problem.origin.file).name, problem.message.split(":")[0]) for problem in caught.value.problems]
    assert sorted(told) == [("a.toml", "guest"), ("a.toml", "title"), ("b.toml", "is no readable TOML")]


def test_a_catalogue_entry_of_the_user_wins_and_new_ones_are_added(tmp_path):
    text = """
[[devices]]
name = "L40S"
vendor = "NVIDIA"
memory_gb = 49
source = "my own"
[[devices]]
name = "Mine"
vendor = "Me"
source = "my own"
"""
    shipped_ones = load_catalogue()
    both = load_catalogue(shipped(), folder(tmp_path, "catalogue", mine=text))
    by_name = {device.name: device for device in both.devices}
    assert by_name["L40S"].memory_gb == 49
    assert by_name["Mine"].vendor == "Me"
    assert len(both.devices) == len(shipped_ones.devices) + 1
    assert both.links == shipped_ones.links


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[[platforms]]\nname = "P"\nvendor = "V"\nsource = "S"\nmatches = ["("]', "'(' is no regular expression"),
        ('[[classes]]\nname = "C"\nlow = 0.9\ntypical = 0.8\nhigh = 1\nsource = "S"', "not in this order"),
        ('[[classes]]\nname = "C"\nlow = 0.9\ntypical = 1.8\nhigh = 1\nsource = "S"', "classes[0] (C).typical"),
        ('[[devices]]\nname = "D"\nvendor = "V"\nsource = ""', "devices[0] (D).source"),
    ],
)
def test_a_catalogue_entry_that_makes_no_sense_is_told(tmp_path, text, told):
    assert told in refused(folder(tmp_path, "catalogue", mine=text), load=load_catalogue)


def test_only_the_parts_that_are_asked_for_are_read(tmp_path):
    place = folder(tmp_path, "catalogue", devices="no toml", mine='[[devices]]\nname = "M"\nvendor = "V"\nsource = "S"')
    assert load_catalogue(shipped(), place, parts=["pcie"]).devices == ()
    assert "no readable TOML" in refused(place, load=load_catalogue)


def test_faults_of_catalogue_entries_are_told_one_by_one_with_their_names(tmp_path):
    text = '[[devices]]\nname = "A"\nvendor = "V"\n[[devices]]\nname = "B"\nvendor = 3\nsource = "S"\n'
    message = refused(folder(tmp_path, "catalogue", mine=text), load=load_catalogue)
    assert "devices[0] (A): Object missing required field `source`" in message
    assert "devices[1] (B).vendor: Expected `str`, got `int`" in message
