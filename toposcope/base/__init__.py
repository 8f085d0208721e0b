"""The ground everything stands on: units, places in evidence, soft errors, errors, names of devices."""

from toposcope.base.bandwidth import Bandwidth
from toposcope.base.capture import Capture
from toposcope.base.errors import InputError, ToposcopeError, UsageError
from toposcope.base.origin import Origin
from toposcope.base.pci import pci_address
from toposcope.base.problem import Problem, ProblemKind

__all__ = [
    "Bandwidth",
    "Capture",
    "InputError",
    "Origin",
    "Problem",
    "ProblemKind",
    "ToposcopeError",
    "UsageError",
    "pci_address",
]
