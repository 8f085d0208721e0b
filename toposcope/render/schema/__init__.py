"""The forms of the JSON documents that others build on, and their JSON Schemas.

Bandwidths are GB/s (10^9 bytes/s) in one direction, ``rate_gbps`` Gb/s; null is unknown. Keys may be added, never
renamed without a new schema number.
"""

from __future__ import annotations

from typing import Any

import msgspec

from toposcope.render.schema.analysis import (
    AnalysesDocument,
    AnalysisDocument,
    BestDocument,
    ErrorDocument,
    EvidenceDocument,
    FactDocument,
    FindingDocument,
    HarmDocument,
    PairDocument,
    RemoteDocument,
)
from toposcope.render.schema.check import CheckDocument, CheckedDocument, ReasonDocument, SuspectDocument
from toposcope.render.schema.comparison import (
    AnswerDocument,
    BusDocument,
    ChangeDocument,
    ContentionDocument,
    DiffDocument,
    DifferenceDocument,
    FaultDocument,
    FlowDocument,
    KindredDocument,
    LoadDocument,
    OutcomeDocument,
    QuestionDocument,
    WhatIfDocument,
)
from toposcope.render.schema.document import Document, Id, OriginDocument, ProblemDocument, Scalar, UsableDocument
from toposcope.render.schema.listing import (
    AffinityDocument,
    BindingDocument,
    DoctorDocument,
    ProfileDocument,
    RuleDocument,
    RulesDocument,
    SourceDocument,
)
from toposcope.render.schema.machine import (
    AcceleratorDocument,
    FabricDocument,
    MachineDocument,
    MatrixDocument,
    NearDocument,
    NicDocument,
    PortDocument,
)
from toposcope.render.schema.path import PathDocument, RouteDocument, SegmentDocument
from toposcope.render.schema.topology import LinkDocument, NodeDocument, TopologyDocument

__all__ = [
    "SCHEMAS",
    "AcceleratorDocument",
    "AffinityDocument",
    "AnalysesDocument",
    "AnalysisDocument",
    "AnswerDocument",
    "BestDocument",
    "BindingDocument",
    "BusDocument",
    "ChangeDocument",
    "CheckDocument",
    "CheckedDocument",
    "ContentionDocument",
    "DiffDocument",
    "DifferenceDocument",
    "DoctorDocument",
    "Document",
    "ErrorDocument",
    "EvidenceDocument",
    "FabricDocument",
    "FactDocument",
    "FaultDocument",
    "FindingDocument",
    "FlowDocument",
    "HarmDocument",
    "Id",
    "KindredDocument",
    "LinkDocument",
    "LoadDocument",
    "MachineDocument",
    "MatrixDocument",
    "NearDocument",
    "NicDocument",
    "NodeDocument",
    "OriginDocument",
    "OutcomeDocument",
    "PairDocument",
    "PathDocument",
    "PortDocument",
    "ProblemDocument",
    "ProfileDocument",
    "QuestionDocument",
    "ReasonDocument",
    "RemoteDocument",
    "RouteDocument",
    "RuleDocument",
    "RulesDocument",
    "Scalar",
    "SegmentDocument",
    "SourceDocument",
    "SuspectDocument",
    "TopologyDocument",
    "UsableDocument",
    "WhatIfDocument",
    "json_schema",
    "to_json",
]

SCHEMAS: dict[str, type[Document]] = {
    "affinity": AffinityDocument,
    "analysis": AnalysisDocument,
    "analyses": AnalysesDocument,
    "check": CheckDocument,
    "contention": ContentionDocument,
    "diff": DiffDocument,
    "doctor": DoctorDocument,
    "error": ErrorDocument,
    "path": PathDocument,
    "rules": RulesDocument,
    "topology": TopologyDocument,
    "whatif": WhatIfDocument,
}


def json_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of one document; KeyError for a name that there is none of."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | msgspec.json.schema(SCHEMAS[name])


def to_json(document: Document | tuple[Document, ...]) -> str:
    """Write a document as JSON with an indent, UTF-8 kept."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
