"""Draws an arrangement on a grid of characters: boxes of the first level, the tree's wires, ways out, bars."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from toposcope.render.box_drawing.columns import bar_edges, memory_texts
from toposcope.render.box_drawing.grid import Grid, Stroke, cells
from toposcope.render.box_drawing.reading import stroke

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toposcope.render.box_drawing.columns import Arrangement, Exit
    from toposcope.render.diagram.parts import Edge


def drawn(plan: Arrangement) -> Iterator[str]:
    """Yield the lines of the drawing."""
    grid = Grid()
    roots = [name for name in plan.reading.roots if plan.column[name] == 0]
    for name in roots:
        _root(grid, plan, name)
    for above, below in pairwise(roots):
        _peer(grid, plan, above, below)
    for name in plan.rows:
        _below(grid, plan, name)
        _ways_out(grid, plan, name)
    for bar in plan.bar_at:
        _bar(grid, plan, bar)
    lines = list(grid.lines())
    while lines and not lines[0]:
        lines.pop(0)
    yield from lines


def _root(grid: Grid, plan: Arrangement, name: str) -> None:
    """Draw the frame of a socket, with its memory inside."""
    left, right = 0, plan.trunk_at[0]
    top, bottom = plan.rows[name] - 1, plan.ends[name] + 1
    for y in (top, bottom):
        grid.level(left, right, y)
    for x in (left, right):
        grid.upright(x, top, bottom)
    for index, text in enumerate([plan.name(name), *memory_texts(plan, name)]):
        if plan.rows[name] + index < bottom:
            grid.text(plan.name_at[0], plan.rows[name] + index, text)


def _peer(grid: Grid, plan: Arrangement, above: str, below: str) -> None:
    """Draw the link between two sockets in the gap between their frames."""
    edges = [edge for edge in plan.reading.diagram.edges if edge.kind == "peers" and {edge.a, edge.b} == {above, below}]
    for edge in edges:
        x, top = 4, plan.ends[above] + 1
        grid.upright(x, top, plan.rows[below] - 1, stroke(edge))
        grid.text(x + 2, top + 1, plan.reading.figure(edge, details=True))


def _below(grid: Grid, plan: Arrangement, name: str) -> None:
    """Draw the wires from a box to all that hangs on it, and the names there."""
    children = plan.children(name)
    trunk = plan.trunk_at[plan.column[name]]
    root = name in plan.reading.roots
    wired = [child for child in children if child in plan.reading.up]
    if wired and not root:
        grid.level(plan.name_at[plan.column[name]] + cells(plan.name(name)) + 1, trunk, plan.rows[name])
        grid.upright(trunk, plan.rows[name], plan.rows[wired[-1]])
    if not root:
        for index, text in enumerate(memory_texts(plan, name)):
            grid.text(plan.name_at[plan.column[name]], plan.rows[name] + index + 1, text)
    for child in children:
        _wire(grid, plan, child, trunk)
    if name in plan.reading.roots and plan.reading.leaf(name):
        grid.text(plan.name_at[plan.column[name]], plan.rows[name], plan.name(name))


def _wire(grid: Grid, plan: Arrangement, child: str, trunk: int) -> None:
    y, end = plan.rows[child], plan.name_at[plan.column[child]]
    edge = plan.reading.up.get(child)
    if edge is not None:
        grid.level(trunk, end - 2, y, stroke(edge))
        label = plan.label(child)
        if label:
            grid.text(end - 3 - cells(label) - 1, y, f" {label} ")
    grid.text(end, y, plan.name(child))


def _ways_out(grid: Grid, plan: Arrangement, name: str) -> None:
    """Draw what leaves a device to the right, each on its row."""
    exits = plan.exits.get(name, [])
    begin = plan.name_at[plan.column[name]] + cells(plan.name(name)) + 1
    trunk = plan.trunk_at[-1]
    if name in plan.reading.mesh:
        grid.text(plan.mesh_at, plan.rows[name], plan.mesh(name))
        begin = trunk = plan.mesh_at + cells(plan.mesh(name)) + 1
    if len(exits) > 1:
        grid.upright(trunk, exits[0].row, exits[-1].row)
    for index, one in enumerate(exits):
        grid.level(begin if index == 0 else trunk, trunk, one.row)
        _way_out(grid, plan, one, trunk if len(exits) > 1 else min(begin, trunk))


def _way_out(grid: Grid, plan: Arrangement, one: Exit, x: int) -> None:
    edge = one.edge
    if edge.kind == "port":
        grid.level(x, plan.port_at - 2, one.row)
        name = plan.reading.name(plan.reading.boxes[edge.b])
        grid.text(plan.port_at, one.row, name)
        if one.onward is not None:
            _to_bar(grid, plan, one.onward, one.row, plan.port_at + cells(name) + 1)
    else:
        _to_bar(grid, plan, edge, one.row, x)


def _to_bar(grid: Grid, plan: Arrangement, edge: Edge, row: int, x: int) -> None:
    end = plan.bar_at.get(edge.b)
    if end is None:
        return
    grid.level(x, end, row, stroke(edge))
    label = plan.exit_label(edge)
    if label:
        grid.text(end - 3 - cells(label), row, f" {label} ")


def _bar(grid: Grid, plan: Arrangement, bar: str) -> None:
    """Draw a bar, and its name above it on the first line that is free there."""
    x = plan.bar_at[bar]
    top, bottom = plan.extents[bar]
    name = plan.reading.name(plan.reading.boxes[bar])
    if top == bottom and not plan.reading.exits.get(bar):
        grid.text(x + 1, top, f" {name}")
        return
    left = max(0, x - cells(name) + 1)
    row = next((y for y in range(top - 1, -1, -1) if grid.free(left - 1, x + 1, y)), 0)
    strokes = [stroke(edge) for _, edge in bar_edges(plan, bar)]
    strong = Stroke.DOUBLE if Stroke.DOUBLE in strokes else Stroke.SINGLE
    grid.upright(x, row, bottom, strong)
    grid.text(left, row, name)
    for edge in plan.reading.exits.get(bar, []):
        _to_bar(grid, plan, edge, _free_row(grid, plan, bar, edge), x)


def _free_row(grid: Grid, plan: Arrangement, bar: str, edge: Edge) -> int:
    """Return a row of a bar from which a line to the right meets nothing."""
    top, bottom = plan.extents[bar]
    end = plan.bar_at.get(edge.b, plan.bar_at[bar])
    return next((y for y in range(bottom, top - 1, -1) if grid.free(plan.bar_at[bar] + 1, end - 1, y)), bottom)
