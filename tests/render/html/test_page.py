"""The page as text: whole, locked down, the same each time, and in agreement with what ``path`` answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from defusedxml import ElementTree
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.machines import MACHINES, Builder
from tests.render.html.pages import PROFILES, Read, analysis, fingerprint, loaded, page_of
from tests.render.random_machines import machines as any_machines
from toposcope import app
from toposcope.analysis import analyze, routes
from toposcope.base import Bandwidth, Origin, Problem, ProblemKind, UsageError
from toposcope.cli.main import app as cli
from toposcope.model import Fact, Kind, Medium, Topology
from toposcope.render.diagram import layout
from toposcope.render.html import page
from toposcope.render.html.markup import data, element, words

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

slow = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
PAYLOADS = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</style><style>*{display:none}</style>",
    "\"' onmouseover='alert(1)' x=\"",
    "]]><!-- --><svg onload=alert(1)>",
    "&lt;b&gt;",
    "$script",
    "a\u202eb\x00c\x1b[31m\u2028d",
    "\ud800",
    "javascript:alert(1)",
)
hostile = st.one_of(
    st.sampled_from(PAYLOADS), st.text(alphabet="<>&\"'/=-!`$ \u2028\x00bscript", min_size=1, max_size=20)
)


def nothing(_origin: Origin) -> str | None:
    return None


@pytest.mark.parametrize("profile", PROFILES)
def test_a_page_runs_its_own_script_and_style_and_nothing_else(profile: str) -> None:
    read = Read(page_of(profile))

    assert read.policy["default-src"] == ["'none'"]
    assert read.policy["script-src"] == [fingerprint(read.raw["script"][1])]
    assert read.policy["style-src"] == [fingerprint(read.raw["style"][0])]
    assert (len(read.raw["script"]), len(read.raw["style"])) == (2, 1)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_page_asks_for_nothing_from_elsewhere(profile: str) -> None:
    read = Read(page_of(profile))
    attributes = [(name, value) for _, found in read.elements for name, value in found.items()]

    assert not {name for name, _ in attributes if name.startswith("on") or name in ("style", "src", "srcset")}
    assert all(value.startswith("#") for name, value in attributes if name in ("href", "xlink:href"))
    assert not re.search(r"url\(|@import|https?:", read.raw["style"][0] + read.raw["script"][1])
    assert {"link", "iframe", "img", "object", "embed", "base", "form"}.isdisjoint(tag for tag, _ in read.elements)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_page_is_small(profile: str) -> None:
    assert len(page_of(profile).encode()) < 1_000_000


@pytest.mark.parametrize("profile", ["a100-2-2-4-6-8-8", "910b-kunpeng-8", "aws-p5"])
def test_a_page_is_written(benchmark: BenchmarkFixture, profile: str) -> None:
    found, text_of = analysis(profile), loaded(profile).text_of

    assert benchmark(lambda: page(found, text_of))


def test_the_same_machine_gives_the_same_page() -> None:
    twice = [
        page(app.analyze(each), each.text_of)
        for each in (app.load(["profile:l40s-2-2-4"], app.knowledge())[0] for _ in range(2))
    ]

    assert twice[0] == twice[1]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_page_has_no_id_twice_and_points_at_what_there_is(profile: str) -> None:
    read = Read(page_of(profile))
    ids = [found["id"] for _, found in read.elements if "id" in found]
    aims = [found["href"].removeprefix("#") for found in read.all("a")]
    aims += [found["aria-labelledby"] for _, found in read.elements if "aria-labelledby" in found]

    assert len(ids) == len(set(ids))
    assert set(aims) <= set(ids)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_page_answers_what_path_answers(profile: str) -> None:
    topology, known = loaded(profile).topology, Read(page_of(profile)).data
    for key, places in known["routes"].items():
        start, goal = (known["ends"][int(place)]["id"] for place in key.split())
        wanted = routes(topology, start, goal)
        shown = [known["answers"][place] for place in places]

        assert [each["transport"] for each in shown] == [route.transport for route in wanted]
        assert [each["mark"] == "default" for each in shown] == [route.default for route in wanted]
        assert [each["mark"] == "not permitted" for each in shown] == [not route.permitted for route in wanted]
        for each, route in zip(shown, wanted, strict=True):
            line = "?" if route.limit.line is None else str(route.limit.line)
            assert each["line"].removeprefix("at most ") == line
            assert (tuple(each["slow"]), tuple(each["slow_line"])) == (
                route.limit.bottleneck,
                route.limit.line_bottleneck,
            )
            segments = [known["segments"][place] for place in each["segments"]]
            assert [segment["grade"] for segment in segments] == [segment.grade.word for segment in route.segments]


@pytest.mark.parametrize("profile", PROFILES)
def test_every_pair_of_ends_has_its_routes(profile: str) -> None:
    topology, known = loaded(profile).topology, Read(page_of(profile)).data
    accelerators = [each.id for each in topology.components(Kind.ACCELERATOR)]
    ends = [end["id"] for end in known["ends"]]

    assert [end["id"] for end in known["ends"] if end["start"]] == accelerators
    assert {"remote", "host", *(each.id for each in topology.components(Kind.NIC))} <= set(ends)
    assert len(known["routes"]) == len(accelerators) * (len(ends) - 1)
    assert all(known["routes"][f"{ends.index(start)} {ends.index('host')}"] for start in accelerators)


@pytest.mark.parametrize("profile", PROFILES)
def test_every_segment_of_this_host_is_in_the_drawing(profile: str) -> None:
    diagram, known = layout(loaded(profile).topology), Read(page_of(profile)).data

    unmarked = [each["place"] for each in known["segments"] if not each["far"] and not each["boxes"] + each["wires"]]

    assert unmarked == []
    assert all(place < len(diagram.boxes) for each in known["segments"] for place in each["boxes"])
    assert all(place < len(diagram.edges) for each in known["segments"] for place in each["wires"])


@pytest.mark.parametrize("machine", MACHINES)
def test_the_drawing_is_well_formed_and_holds_every_box_and_wire(machine) -> None:
    topology = machine()
    diagram, text = layout(topology), page(analyze(topology), nothing)
    drawing = re.search(r'<svg class="machine".*?</svg>(?=</div>)', text, re.DOTALL)

    tree = ElementTree.fromstring(drawing[0])
    ids = [group.get("data-id") for group in tree.iter("g") if group.get("data-id")]

    assert sorted(ids) == sorted([box.id for box in diagram.boxes] + [edge.id for edge in diagram.edges])
    wanted = {line.text for box in diagram.boxes for line in box.texts}
    assert wanted <= {"".join(each.itertext()) for each in tree.iter("text")}


@slow
@given(any_machines())
def test_any_machine_has_a_page(topology: Topology) -> None:
    read = Read(page(analyze(topology), nothing))

    assert len(read.raw["script"]) == 2
    assert read.data["tips"]["boxes"] is not None


@slow
@given(st.lists(hostile, min_size=6, max_size=6, unique=True), hostile, hostile)
def test_hostile_names_stay_text(names: list[str], line: str, word: str) -> None:
    gpus, nics = [f"GPU{name}" for name in names[:2]], [f"NIC{name}" for name in names[2:4]]
    b = Builder(Topology(host=names[4]))
    b.topology.profile = names[5]
    socket = b.socket(f"CPU{names[0]}", f"NUMA{names[1]}", memory=100)
    for gpu, nic in zip(gpus, nics, strict=True):
        b.accelerator(gpu, socket, model=names[4])
        b.nic(nic, socket, name=names[5], pci=names[0], role=names[1])
        b.port(nic, 100, network=f"network{names[2]}")
    b.link(*gpus, Medium.NVLINK, 100)
    b.topology.problems.append(Problem(ProblemKind.UNREAD, Origin(word, word, 7), word, line))

    text = page(analyze(b.topology), lambda _origin: line, ends=(gpus[0], nics[0]))
    read = Read(text)

    plain = Read(page_of("l40s-2-2-4"))
    assert {tag for tag, _ in read.elements} <= {tag for tag, _ in plain.elements} | {"code", "li", "ul", "article"}
    assert {name for _, found in read.elements for name in found} <= {
        name for _, found in plain.elements for name in found
    }
    assert read.raw["script"][1] == plain.raw["script"][1]
    assert read.policy["script-src"] == plain.policy["script-src"]
    assert [end["start"] for end in read.data["ends"]][:2] == [True, True]
    assert read.data["chosen"] == [0, 2]
    text.encode()


@given(st.recursive(st.text() | st.none() | st.integers(), st.lists))
def test_data_cannot_end_its_script_and_reads_back(value: object) -> None:
    import json

    written = data(value)

    assert not set(written) & set("<>&")
    assert json.loads(written) == value


@given(st.text())
def test_text_never_becomes_markup(text: str) -> None:
    read = Read(element("p", text, title=text) + words(text))

    assert [tag for tag, _ in read.elements] == ["p"]
    assert list(read.elements[0][1]) == ["title"]


def test_a_finding_and_a_problem_show_the_line_that_proves_them(tmp_path: Path) -> None:
    matrix = "\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \nGPU9\tSYS\n"
    (tmp_path / "nvidia-smi_topo_-m.txt").write_text(matrix)
    found = app.load([str(tmp_path)], app.knowledge())[0]

    read = Read(page(app.analyze(found), found.text_of))

    assert found.topology.problems
    texts = "".join(read.texts)
    assert all(problem.message in texts for problem in found.topology.problems)
    assert any("GPU0\t X \tNV4".replace("\t", " ") in (text or "") for _, text in read.data["origins"])


def test_a_link_shows_the_lines_with_its_speed_where_a_tool_printed_them() -> None:
    topology = next(each for each in MACHINES if each.__name__ == "l40s")()
    link = next(each for each in topology.links_of("GPU0") if each.medium is Medium.PCIE)
    for line, name in enumerate(("link.status", "link.capability"), start=7):
        topology.note(Fact(link.source, name, "16GT/s x16", Origin("lspci-vvv", "lspci.txt", line)))

    known = Read(page(analyze(topology), lambda origin: f"line {origin.line}")).data

    (tip,) = [tip for tips in known["tips"]["wires"] for tip in tips if tip[0].startswith("GPU0 - ")]
    assert tip[2] == [["lspci.txt:7", "line 7"], ["lspci.txt:8", "line 8"]]
    assert any(known["origins"][each["origin"]][0] == "lspci.txt:7" for each in known["segments"])


def test_render_writes_a_page_with_the_asked_route_chosen(tmp_path: Path) -> None:
    target = tmp_path / "report.html"

    done = CliRunner().invoke(cli, ["render", "profile:a100-2-2-4-6-8-8", "-o", str(target), "--path", "GPU0", "NIC5"])

    known = Read(target.read_text(encoding="utf-8")).data
    assert done.exit_code == 0
    assert [known["ends"][place]["id"] for place in known["chosen"]] == ["GPU0", "NIC5"]


@pytest.mark.parametrize("goal", ["host", "host:1", "remote", "remote:GPU3", "mlx5_3", "GPU7"])
def test_every_kind_of_end_may_be_asked_for(tmp_path: Path, goal: str) -> None:
    topology = next(each for each in MACHINES if each.__name__ == "a100")()
    for number in (0, 1):
        numa = topology.component(f"numa{number}")
        topology.add(type(numa)(numa.id, numa.kind, numa.origin, numa=number))

    app.render(app.Loaded(topology), tmp_path / "page.html", ends=("GPU0", goal))

    known = Read((tmp_path / "page.html").read_text(encoding="utf-8")).data
    start, end = known["chosen"]
    shown = [known["answers"][place]["sentence"] for place in known["routes"][f"{start} {end}"]]
    assert len(shown) == len(routes(topology, "GPU0", goal))


@pytest.mark.parametrize("view", ["matrix", "path"])
def test_a_page_refuses_a_single_view(tmp_path: Path, view: str) -> None:
    with pytest.raises(UsageError, match="leave --view out"):
        app.render(loaded("l40s-2-2-4"), tmp_path / "page.html", view=view)


def test_a_machine_without_accelerators_has_a_page_without_routes() -> None:
    b = Builder()
    b.nic("NIC0", b.socket("CPU0"))
    b.port("NIC0", 100)

    read = Read(page(analyze(b.topology), nothing))

    assert read.data["routes"] == {}
    assert any("no accelerator" in text for text in read.texts)


def test_figures_are_those_of_the_api() -> None:
    known = Read(page_of("a800-8")).data
    ends = [end["id"] for end in known["ends"]]
    first = known["answers"][known["routes"][f"{ends.index('GPU0')} {ends.index('GPU5')}"][0]]

    assert first["line"] == str(Bandwidth.gigabytes(200))
