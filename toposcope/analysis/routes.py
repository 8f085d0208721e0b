"""All routes between two components, with the default marked: the answer to ``path``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.analysis.default import choose_direct, choose_fastest, choose_peer, choose_remote
from toposcope.analysis.fabric import fabric_routes
from toposcope.analysis.naming import find
from toposcope.analysis.network import FAR
from toposcope.analysis.nics import neighbours
from toposcope.analysis.peer import peer_routes
from toposcope.analysis.remote import FarEnd, host_routes, nic_routes, remote_routes
from toposcope.base import UsageError
from toposcope.model import Kind
from toposcope.model.placement import host_end

if TYPE_CHECKING:
    from toposcope.analysis.nics import Neighbours
    from toposcope.analysis.route import Route
    from toposcope.model import Component, Topology


def routes(topology: Topology, src: str, dst: str, *, far: Topology | None = None) -> tuple[Route, ...]:
    """Return every way for data from ``src`` to ``dst``, the default first.

    ``src`` is an accelerator. ``dst`` is an accelerator, a NIC, ``host`` or ``host:N`` (memory of NUMA node N),
    ``remote`` (the same accelerator of an identical host, or of ``far``) or ``remote:GPU3``. Components may be named by
    id, PCI address or device name. The default is by the library's rules (``topology.figures.library``). Raises
    UsageError for a name that nothing has and for ends between which routes have no meaning.
    """
    if src.strip().lower() in ("host", "remote") or src.lower().startswith(("host:", FAR)):
        raise UsageError(f"a route starts at an accelerator; {src!r} can only be its end")
    source = find(topology, src)
    if source.kind is not Kind.ACCELERATOR:
        raise UsageError(f"a route starts at an accelerator; {source.id} is a {source.kind}")
    found = _to(topology, source, dst.strip(), far or topology)
    return tuple(sorted(found, key=lambda route: (not route.default, not route.permitted)))


def peer_answers(topology: Topology, a: str, b: str, near: dict[str, Neighbours]) -> tuple[Route, ...]:
    """Return the routes between two accelerators of the host, the default marked."""
    return choose_peer(topology, [*fabric_routes(topology, a, b), *peer_routes(topology, a, b, near)])


def nic_answers(topology: Topology, accelerator: str, nic: str) -> tuple[Route, ...]:
    """Return the routes from an accelerator to a NIC, the default marked."""
    return choose_direct(list(nic_routes(topology, accelerator, nic)))


def remote_answers(
    topology: Topology, accelerator: str, near: dict[str, Neighbours], far: FarEnd | None = None
) -> tuple[Route, ...]:
    """Return the routes from an accelerator across the network, the default marked; without ``far`` to its twin."""
    end = far or FarEnd(topology, near, accelerator)
    return choose_remote(topology, list(remote_routes(topology, accelerator, near, end)))


def _to(topology: Topology, source: Component, dst: str, far: Topology) -> tuple[Route, ...]:
    if dst == "remote" or dst.startswith(FAR):
        peer = find(far, dst.removeprefix(FAR) if dst.startswith(FAR) else source.id)
        if peer.kind is not Kind.ACCELERATOR:
            raise UsageError(f"a remote route ends at an accelerator; {peer.id} is a {peer.kind}")
        near = neighbours(topology)
        end = FarEnd(far, near if far is topology else neighbours(far), peer.id)
        return remote_answers(topology, source.id, near, end)
    if dst == "host" or dst.startswith("host:"):
        return choose_fastest(list(host_routes(topology, source.id, _cpu(topology, source, dst))))
    target = find(topology, dst)
    if target.id == source.id:
        raise UsageError(f"{source.id} is both ends of the path")
    if target.kind is Kind.ACCELERATOR:
        return peer_answers(topology, source.id, target.id, neighbours(topology))
    if target.kind is Kind.NIC:
        return nic_answers(topology, source.id, target.id)
    raise UsageError(f"a route ends at an accelerator, a NIC, host or remote; {target.id} is a {target.kind}")


def _cpu(topology: Topology, source: Component, dst: str) -> str:
    if dst == "host":
        if topology.parent(source.id) is None:
            raise UsageError(f"nothing here shows how {source.id} hangs on the host: `lspci -vvv` or `/sys` would")
        return host_end(topology, source.id)
    number = dst.removeprefix("host:")
    nodes = {str(node.numa): node.id for node in topology.components(Kind.NUMA)}
    if number not in nodes:
        raise UsageError(f"there is no NUMA node {number!r}; there are {', '.join(sorted(nodes)) or 'none'}")
    return nodes[number]
