"""Bindings as text that can be pasted: variables, ``numactl`` lines, Slurm options; and as a JSON document.

Everything that is not a command is a comment (``#``), so that a shell can read the whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposcope.base.clean import printable
from toposcope.model import Library, Reach
from toposcope.model.spans import spans
from toposcope.render.schema import AffinityDocument, BindingDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from toposcope.analysis.affinity import Affinity, Binding

_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-,")


def environment(affinity: Affinity) -> Iterator[str]:
    """Write the variables for all ranks, then those of each rank by its local number."""
    yield from _comments(affinity)
    library = affinity.library or Library("", "", Reach.SOCKET, Reach.SOCKET)
    if library.order:
        yield f"export {library.order}"
    if library.visible:
        yield f"export {library.visible}={','.join(str(each.number) for each in affinity.bindings)}"
    devices = [each for each in map(_word, affinity.devices) if each]
    if devices and library.nic_list:
        yield f"export {library.nic_list}=={','.join(devices)}"
    named = [each for each in affinity.bindings if each.devices]
    if named and library.nic_list:
        yield "# where a program deals NICs itself: one list a rank (OMPI_COMM_WORLD_LOCAL_RANK, SLURM_LOCALID)"
        yield 'case "${LOCAL_RANK:-0}" in'
        for each in named:
            yield f"  {each.rank}) export UCX_NET_DEVICES={','.join(f'{_word(nic)}:1' for nic in each.devices)} ;;"
        yield "esac"


def numactl(affinity: Affinity) -> Iterator[str]:
    """Write one line a rank; JOB stands for the program."""
    yield from _comments(affinity)
    visible = affinity.library.visible if affinity.library else None
    for each in affinity.bindings:
        seen = f"{visible}={each.number} " if visible else ""
        bind = [f"--physcpubind={each.share or each.cpus}"] if each.cpus else []
        bind += [f"--cpunodebind={each.node}"] if not bind and each.node is not None else []
        bind += [f"--membind={each.memory}"] if each.memory is not None else []
        command = " ".join(["numactl", *bind, "JOB"]) if bind else "JOB  # where to bind it is not known"
        yield f"{seen}LOCAL_RANK={each.rank} {command}"


def slurm(affinity: Affinity) -> Iterator[str]:
    """Write the options of a job step, and the lines of ``gres.conf`` that tell Slurm the same."""
    yield from _comments(affinity)
    count = len(affinity.bindings)
    yield f"#SBATCH --gpus-per-node={count}"
    yield f"#SBATCH --ntasks-per-node={count}"
    words = [f"--gpu-bind=map_gpu:{','.join(str(each.number) for each in affinity.bindings)}"]
    masks = [_mask(each.share) for each in affinity.bindings if each.share]
    if len(masks) == count:
        words.append(f"--cpu-bind=mask_cpu:{','.join(masks)}")
    nodes = [str(each.memory) for each in affinity.bindings if each.memory is not None]
    if len(nodes) == count:
        words.append(f"--mem-bind=map_mem:{','.join(nodes)}")
    yield f"srun {' '.join(words)} JOB"
    if affinity.library is not None and affinity.library.device_file:
        yield "# gres.conf"
        for each in affinity.bindings:
            cores = f" Cores={each.cpus}" if each.cpus else ""
            file = affinity.library.device_file.replace("{number}", str(each.number))
            yield f"# Name=gpu File={file}{cores}"


def rows(affinity: Affinity) -> Iterator[tuple[object, ...]]:
    """Yield the cells of the table, one row a rank, in the order of :data:`TITLES`."""
    for each in affinity.bindings:
        yield (
            each.rank,
            each.accelerator,
            each.pci,
            each.node,
            each.cpus,
            each.share,
            each.memory,
            ", ".join(each.nics) or None,
            each.reach,
        )


TITLES = ("rank", "accelerator", "PCI", "NUMA", "CPUs", "share", "memory", "NICs", "reach")

FORMATS: dict[str, Callable[[Affinity], Iterator[str]]] = {"env": environment, "numactl": numactl, "slurm": slurm}


def affinity_document(affinity: Affinity) -> AffinityDocument:
    """Make the JSON document."""
    return AffinityDocument(
        host=affinity.host,
        library=affinity.library.title if affinity.library else None,
        ranks=tuple(_binding(each) for each in affinity.bindings),
        devices=affinity.devices,
        notes=affinity.notes,
    )


def _binding(each: Binding) -> BindingDocument:
    return BindingDocument(
        rank=each.rank,
        accelerator=each.accelerator,
        number=each.number,
        pci=each.pci,
        nics=each.nics,
        devices=each.devices,
        reach=each.reach,
        cpus=each.cpus,
        share=each.share,
        numa=each.node,
        memory=each.memory,
    )


def _comments(affinity: Affinity) -> Iterator[str]:
    if affinity.host:
        yield f"# {printable(affinity.host)}"
    for note in affinity.notes:
        yield f"# {printable(note)}"


def _word(name: str) -> str:
    """Return a device's name if a shell takes it as one plain word, "" for any other: names come from strangers."""
    return name if name and set(name) <= _SAFE else ""


def _mask(listed: str) -> str:
    mask = 0
    for number in spans(listed):
        mask |= 1 << number
    return hex(mask)


def lines_of(affinity: Affinity, form: str) -> Sequence[str]:
    """Return the lines of one format; KeyError for one that there is not."""
    return tuple(FORMATS[form](affinity))
