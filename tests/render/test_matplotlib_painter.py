"""Pictures as files: what an SVG holds, and that the same picture has the same bytes."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from defusedxml import ElementTree
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import machines
from tests.machines import MACHINES, Builder
from tests.render.random_machines import machines as any_machines
from toposcope.base import Bandwidth, UsageError
from toposcope.model import Kind, Medium, Topology
from toposcope.render.charts import PairCell, PairChart, RouteChart, SegmentBar
from toposcope.render.diagram import Marking, layout
from toposcope.render.matplotlib_painter import paint, paint_matrix, paint_route, svg_of
from toposcope.render.palette import DARK, LIGHT, THEMES, mix

if TYPE_CHECKING:
    from pathlib import Path

slow = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
gbs = Bandwidth.gigabytes

PAIRS = PairChart(
    "all pairs",
    "line rate",
    ("GPU0", "GPU1"),
    ("GPU0", "GPU1", "NIC0"),
    (
        PairCell("GPU0", "GPU1", gbs(300), "NV12"),
        PairCell("GPU1", "GPU0", gbs(300), "NV12"),
        PairCell("GPU0", "NIC0", gbs(31.508), "PXB"),
        PairCell("GPU1", "NIC0", None, "SYS"),
    ),
)
ROUTE = RouteChart(
    "GPU0 to remote",
    (
        SegmentBar("GPU0", "switch0", Medium.PCIE, gbs(31.508), gbs(26), detail="Gen4 x16"),
        SegmentBar("NIC0", "port", Medium.ETHERNET, None, None),
        SegmentBar("port", "network", Medium.ETHERNET, gbs(25), gbs(24.25), is_bottleneck=True),
    ),
    "the port holds it back",
)


def texts(svg: str) -> list[str]:
    return [
        "".join(node.itertext()).strip() for node in ElementTree.fromstring(svg).iter() if node.tag.endswith("}text")
    ]


def ids(svg: str) -> Counter[str]:
    return Counter(node.get("id") for node in ElementTree.fromstring(svg).iter() if node.get("id"))


@pytest.mark.parametrize("machine", MACHINES)
def test_every_box_and_edge_is_in_the_svg_under_its_id_once(machine) -> None:
    diagram = layout(machine())

    found = ids(svg_of(diagram))

    assert {found[one.id] for one in (*diagram.boxes, *diagram.edges)} == {1}


@pytest.mark.parametrize("machine", MACHINES)
def test_every_word_of_the_drawing_is_text_in_the_svg(machine) -> None:
    diagram = layout(machine())
    wanted = [text.text for box in diagram.boxes for text in box.texts]
    wanted += [text.text for edge in diagram.edges if edge.label for text in edge.label.texts]

    assert Counter(wanted) <= Counter(texts(svg_of(diagram)))


@slow
@given(any_machines())
def test_any_machine_can_be_painted(topology: Topology) -> None:
    diagram = layout(topology)

    assert svg_of(diagram) == svg_of(diagram)


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_the_same_picture_has_the_same_bytes(tmp_path: Path, kind: str) -> None:
    for name in ("one", "two"):
        paint(layout(machines.l40s()), tmp_path / f"{name}.{kind}")

    one, two = ((tmp_path / f"{name}.{kind}").read_bytes() for name in ("one", "two"))

    assert one == two
    assert b"CreationDate" not in one
    assert b"<dc:date>" not in one


@pytest.mark.parametrize(("kind", "begin"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_the_ending_of_the_file_chooses_the_kind(tmp_path: Path, kind: str, begin: bytes) -> None:
    path = tmp_path / f"picture.{kind.upper()}"

    paint(layout(machines.guest()), path)

    assert path.read_bytes().startswith(begin)


@pytest.mark.parametrize("name", ["picture.gif", "picture"])
def test_another_ending_is_refused_with_the_ones_that_work(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"\.svg, \.png or \.pdf"):
        paint(layout(machines.guest()), tmp_path / name)


def test_the_bottleneck_alone_has_the_strong_colour() -> None:
    diagram = layout(machines.a100())

    plain = svg_of(diagram)
    marked = svg_of(diagram, marking=Marking(bottleneck=[("NIC0-port", "network")], caption="the port, 25.0 GB/s"))

    assert LIGHT.bottleneck not in plain
    assert LIGHT.bottleneck in marked
    assert "the port, 25.0 GB/s" in texts(marked)


def test_the_bottleneck_of_a_mesh_shows_the_figure_of_one_link() -> None:
    marked = svg_of(layout(machines.hccs_mesh()), marking=Marking(bottleneck=[("NPU0", "NPU3")]))

    assert texts(marked).count("28.0") == 2


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_a_theme_has_its_ground_and_its_inks(theme) -> None:
    svg = svg_of(layout(machines.a100()), theme=theme.name)

    assert theme.ground in svg
    assert theme.medium(Medium.PCIE) in svg


def test_an_assumed_figure_among_others_has_a_tilde_and_a_hollow_line() -> None:
    svg = svg_of(layout(machines.dgx_1v()))

    assert "~38.4" in texts(svg)
    assert "~ assumed, not observed" in texts(svg)


def test_where_every_figure_is_assumed_it_is_said_once() -> None:
    svg = svg_of(layout(machines.superchip_tray()))

    assert "figures: GB/s, one direction; every figure is assumed" in texts(svg)
    assert not any("~" in text for text in texts(svg))


def test_the_legend_tells_the_path_from_its_limit() -> None:
    marking = Marking(
        highlight=[("GPU0", "switch0"), ("NIC0", "switch0"), ("NIC0-port", "network")],
        bottleneck=[("NIC0-port", "network")],
    )

    for theme in THEMES.values():
        svg = svg_of(layout(machines.a100()), theme=theme.name, marking=marking)

        assert {"this path", "limit of this path"} <= set(texts(svg))
        assert theme.halo in svg


def test_dimmed_texts_can_still_be_read() -> None:
    for theme in THEMES.values():
        assert contrast(theme.dim_text, theme.ground) >= 4.5
        assert contrast(theme.faint_text, theme.ground) >= contrast(theme.dim_text, theme.ground)


def contrast(ink: str, ground: str) -> float:
    """Return the contrast of two colours as the guidelines for accessible content define it."""
    dark, light = sorted(map(luminance, (ink, ground)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    shares = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_names_from_strangers_are_escaped() -> None:
    b = Builder(Topology(host="<script>alert(1)</script>\x1b[31m & $x^2$"))
    b.add("<b>&\"'", Kind.ACCELERATOR, model="$\\frac{1}{2}$ \u4e2d\u6587")

    svg = svg_of(layout(b.topology))

    assert "<script" not in svg
    assert "\x1b" not in svg
    assert "<script>alert(1)</script> [31m & $x^2$" in texts(svg)


def test_drawing_without_painting_loads_no_matplotlib() -> None:
    modules = "toposcope.render, toposcope.render.diagram, toposcope.render.box_drawing, toposcope.render.charts"
    code = f"import sys, {modules}; print(*sorted({{'matplotlib', 'numpy'}} & set(sys.modules)))"

    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()

    assert loaded == []


def test_the_heat_map_shows_figures_and_words(tmp_path: Path) -> None:
    paint_matrix(PAIRS, tmp_path / "pairs.svg")

    svg = (tmp_path / "pairs.svg").read_text()

    assert Counter(texts(svg)) >= Counter({"300": 3, "NV12": 2, "31.5": 2, "PXB": 1, "?": 1, "SYS": 1})
    assert ids(svg)["GPU0--NIC0"] == 1


def test_an_empty_heat_map_is_a_picture_too(tmp_path: Path) -> None:
    paint_matrix(PairChart("none", "line rate", (), (), ()), tmp_path / "none.svg")

    assert "none" in texts((tmp_path / "none.svg").read_text())


def test_the_route_shows_both_figures_and_marks_the_bottleneck(tmp_path: Path) -> None:
    paint_route(ROUTE, tmp_path / "route.svg", theme="dark")

    svg = (tmp_path / "route.svg").read_text()

    assert {"31.5, usable 26.0", "? not known", "25.0, usable 24.2", "the port holds it back"} <= set(texts(svg))
    assert DARK.bottleneck in svg


def test_a_route_without_figures_is_drawn(tmp_path: Path) -> None:
    unknown = tuple(replace(segment, line=None, typical=None) for segment in ROUTE.segments)

    paint_route(replace(ROUTE, segments=unknown), tmp_path / "route.svg")

    assert texts((tmp_path / "route.svg").read_text()).count("? not known") == 3


@given(st.floats(0, 1))
def test_mixed_colours_lie_between_the_two(share: float) -> None:
    assert mix("#000000", "#ffffff", 0) == "#000000"
    assert mix("#000000", "#ffffff", 1) == "#ffffff"
    assert "#000000" <= mix("#000000", "#ffffff", share) <= "#ffffff"
