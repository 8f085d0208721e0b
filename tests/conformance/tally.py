"""Which kind of fact each test of the corpus asks, how many facts that are, and which expectations are not followed."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.shared import CORPUS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MARK = "conformance"
_MATRIX = ("matrix", "p2p")
# Each test by its name: the kind of fact, and the keys of expect.json that it asks; without keys a test counts as one.
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "test_nvidia_cells_are_all_read": ("matrix cells", _MATRIX),
    "test_ascend_matrices_are_read": ("matrix cells", ("matrix", "cpu_affinity", "labels")),
    "test_nvidia_affinities_and_names_are_all_read": (
        "affinities and names",
        ("cpu_affinity", "numa_affinity", "gpu_numa_id", "nics"),
    ),
    "test_cells_of_an_nvidia_matrix_come_out_as_printed": ("matrix cells in the document", ("matrix",)),
    "test_cells_of_an_ascend_matrix_come_out_as_printed": ("matrix cells in the document", ("matrix",)),
    "test_every_device_is_read_once": ("devices", ()),
    "test_accelerators_and_nics_have_their_class": (
        "GPUs, NPUs, NICs, NVSwitches",
        ("gpus", "npus", "nics", "nvswitches"),
    ),
    "test_npus_of_a_list_are_accelerators": ("GPUs, NPUs, NICs, NVSwitches", ("bdf",)),
    "test_links_have_the_speeds_and_widths_printed": ("LnkCap and LnkSta", ("links",)),
    "test_a_device_without_link_lines_has_no_link": ("LnkCap and LnkSta", ()),
    "test_each_device_has_its_parent": ("parents in the tree", ("tree",)),
    "test_the_way_to_the_root_is_whole": ("parents in the tree", ("chains",)),
    "test_udevadm_parents_are_those_of_the_tree": ("parents in the tree", ("tree",)),
    "test_sysfs_real_paths_give_the_parents": ("parents in the tree", ()),
    "test_each_device_hangs_on_its_parent": ("parents in the graph", ("tree",)),
    "test_links_are_judged_by_both_of_their_ends": ("degraded links", ("links",)),
    "test_links_below_their_capability_are_the_ones_marked": ("degraded links", ("downgraded_bdfs",)),
    "test_bridges_have_their_buses": ("bridges", ("bridge_ranges",)),
    "test_sysfs_bridges_have_their_bus_numbers": ("bridges", ()),
    "test_bridges_are_known_by_their_class": ("bridges", ("bridges",)),
    "test_all_bridges_are_counted": ("bridges", ()),
    "test_port_types_are_read": ("bridges", ("port_types",)),
    "test_ports_are_counted_by_type": ("bridges", ("ports_by_type", "switch_upstream_ports")),
    "test_numa_nodes_are_read": ("NUMA nodes", ("numa",)),
    "test_sysfs_numa_nodes": ("NUMA nodes", ("numa",)),
    "test_acs_bits_are_settings": ("ACS", ("acs",)),
    "test_acs_is_clear_where_nothing_else_is_said": ("ACS", ("acs_not_clear",)),
    "test_every_fact_of_the_tools_is_read": ("hccn and npu-smi facts", ("driver", "bdf", "pci", "error_reply", "hccn")),
    "test_ibstat_ports_have_the_expected_state_rate_and_layer": ("ports", ("ports", "cas")),
    "test_every_rdma_device_is_found_once_and_in_printed_order": ("ports", ("cas",)),
    "test_kernel_rates_are_read_as_bits_per_second": ("ports", ("rates",)),
    "test_names_of_one_nic_belong_together": ("names of NICs", ("netdev",)),
    "test_gpus_are_counted_and_named": ("GPUs, NPUs, NICs, NVSwitches", ()),
    "test_links_are_counted_with_their_rate": ("NVLinks", ("nvlink",)),
    "test_far_ends_are_the_other_gpu": ("NVLinks", ("nvlink",)),
    "test_the_documents_of_each_case_are_of_their_schemas": ("documents", ()),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Exempt:
    """One expectation that is not followed: what is read instead, and why."""

    case: str
    file: str
    lines: str
    kind: str
    key: str
    reason: str
    labels: tuple[str, ...] = ()
    read: str | None = None


@cache
def exceptions() -> tuple[Exempt, ...]:
    """Return the expectations of the corpus that are not followed."""
    said = tomllib.loads((Path(__file__).parent / "exceptions.toml").read_text())
    return tuple(Exempt(**each | {"labels": tuple(each.get("labels", ()))}) for each in said["exception"])


def asked(test: str, parameters: Mapping[str, object]) -> tuple[str, str, int] | None:
    """Return folder, kind and number of the facts that a test asks; None for one that asks none of the corpus."""
    known = KINDS.get(test)
    paths = [value for value in parameters.values() if isinstance(value, Path) and value.is_relative_to(CORPUS)]
    if known is None or not paths:
        return None
    case = paths[0] if paths[0].is_dir() else paths[0].parent
    kind, keys = known
    expected = _expected(case)
    return case.parent.name, kind, max(1, sum(_leaves(expected.get(key)) for key in keys))


@cache
def _expected(case: Path) -> dict[str, Any]:
    file = case / "expect.json"
    return json.loads(file.read_text()) if file.is_file() else {}  # type: ignore[no-any-return]


def _leaves(value: object) -> int:
    if isinstance(value, dict):
        return sum(_leaves(each) for each in value.values())
    if isinstance(value, list):
        return sum(_leaves(each) for each in value)
    return 1 if value is not None else 0


@dataclass
class Tally:
    """Facts by folder and kind: asked and right."""

    facts: Counter[tuple[str, str]] = field(default_factory=Counter)
    right: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, folder: str, kind: str, count: int, *, passed: bool) -> None:
        self.facts[folder, kind] += count
        self.right[folder, kind] += count if passed else 0

    def table(self) -> list[str]:
        """Write the table. The facts of a test that failed all count as not right."""
        if not self.facts:
            return []
        excused = Counter((each.case.partition("/")[0], each.kind) for each in exceptions())
        rows = [("folder", "kind of fact", "facts", "right", "exceptions")]
        for folder, kind in sorted(self.facts):
            asked, right, excepted = self.facts[folder, kind], self.right[folder, kind], excused[folder, kind]
            rows.append((folder, kind, str(asked), str(right) + " !" * (right < asked), str(excepted or "")))
        rows.append(("all", "", str(self.facts.total()), str(self.right.total()), str(len(exceptions()))))
        return list(_aligned(rows))


def _aligned(rows: list[tuple[str, ...]]) -> Iterable[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(
            cell.ljust(width) if at < 2 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
