"""The machine as a graph: what there is, how it is linked, what the tools said of it."""

from toposcope.model.component import Component
from toposcope.model.fact import Fact, FactValue
from toposcope.model.figures import Efficiency, Figures, Library, Release, classes_of
from toposcope.model.link import Link, Usable
from toposcope.model.measurement import Measurement
from toposcope.model.relation import PrintedMatrix, Relation
from toposcope.model.topology import Topology
from toposcope.model.vocabulary import NETWORKS, SCALE_UP, FactStatus, Grade, Kind, Medium, Reach, State

__all__ = [
    "NETWORKS",
    "SCALE_UP",
    "Component",
    "Efficiency",
    "Fact",
    "FactStatus",
    "FactValue",
    "Figures",
    "Grade",
    "Kind",
    "Library",
    "Link",
    "Measurement",
    "Medium",
    "PrintedMatrix",
    "Reach",
    "Relation",
    "Release",
    "State",
    "Topology",
    "Usable",
    "classes_of",
]
