"""``from``: what a machine takes over, what it takes away, and circles."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from toposcope.profiles.inheritance import flatten
from toposcope.profiles.reading import Table

PARENT = {
    "name": "parent",
    "title": "Parent",
    "facts": ["parent"],
    "notes": ["of the parent"],
    "cpu": {"sockets": 2, "link": {"medium": "socket", "line_gbs": 96.0}},
    "nics": [{"at": ["socket0"]}, {"at": ["socket1"]}],
    "fabric": {"medium": "nvlink"},
}


def layer(**contents: dict) -> dict[str, Table]:
    return {name: Table(Path(f"{name}.toml"), {"name": name, **content}) for name, content in contents.items()}


def content(name, *layers):
    tables, problems = flatten(layers)
    assert not problems
    return next(table.content for table in tables if table.content["name"] == name)


def messages(*layers):
    return [problem.message for problem in flatten(layers)[1]]


def child(**own):
    return content("child", layer(parent=PARENT, child={"from": "parent", "title": "Child", **own}))


def test_tables_are_laid_over_key_by_key_to_any_depth():
    assert child(cpu={"link": {"line_gbs": 67.2}})["cpu"] == {
        "sockets": 2,
        "link": {"medium": "socket", "line_gbs": 67.2},
    }


def test_lists_are_replaced_whole():
    assert child(nics=[{"at": ["numa0"]}])["nics"] == [{"at": ["numa0"]}]


def test_an_empty_string_or_list_takes_a_key_away():
    assert "fabric" not in child(fabric="")
    assert "nics" not in child(nics=[])


def test_what_tells_a_machine_from_another_is_not_taken_over():
    assert not {"facts", "notes"} & child().keys()


def test_the_parent_stays_as_it_is():
    layers = layer(parent=PARENT, child={"from": "parent", "cpu": {"sockets": 4}})
    assert content("parent", layers)["cpu"]["sockets"] == 2


def test_a_grandchild_has_what_both_say():
    layers = layer(
        parent=PARENT, child={"from": "parent", "guest": True}, grandchild={"from": "child", "host_bridges": "socket"}
    )
    found = content("grandchild", layers)
    assert (found["guest"], found["host_bridges"], found["fabric"]) == (True, "socket", {"medium": "nvlink"})


def test_a_circle_is_told_with_its_way_by_every_machine_in_it():
    told = messages(layer(a={"from": "b"}, b={"from": "c"}, c={"from": "a"}))
    assert told == [
        "from: a circle: a -> b -> c -> a",
        "from: a circle: b -> c -> a -> b",
        "from: a circle: c -> a -> b -> c",
    ]


def test_a_machine_that_starts_from_itself_is_told():
    assert messages(layer(a={"from": "a"})) == ["from: a starts from itself"]


def test_an_unknown_parent_is_told_with_a_near_name():
    assert messages(layer(parent=PARENT, child={"from": "paren"})) == [
        "from: there is no machine 'paren', did you mean parent?"
    ]


def test_a_parent_that_is_no_name_is_told():
    assert messages(layer(a={"from": 3})) == ["from: there is no machine 3"]


def test_a_later_layer_starts_from_the_earlier_machine_of_its_own_name():
    found = content("parent", layer(parent=PARENT), layer(parent={"from": "parent", "cpu": {"sockets": 1}}))
    assert found["cpu"]["sockets"] == 1
    assert found["nics"] == PARENT["nics"]


NAMES = st.sampled_from("abcd")


@given(st.lists(st.dictionaries(NAMES, st.dictionaries(st.just("from"), NAMES | st.just("zz"))), max_size=3))
def test_any_ancestry_ends_in_a_machine_or_one_problem_for_each_entry(shapes):
    tables, problems = flatten([layer(**shape) for shape in shapes])
    entries = sum(map(len, shapes))
    assert len(problems) <= entries
    assert len(problems) + len(tables) >= len({name for shape in shapes for name in shape})
    assert all("from" not in table.content for table in tables)
