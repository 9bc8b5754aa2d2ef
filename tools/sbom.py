"""Write the software bill of materials of this release: CycloneDX 1.6, as JSON, on standard output.

It lists what `pip install 'hushpoll[server]'` installs, in the versions tested here, and what browsers load, by hash,
which has no dependencies. The rule here: the same checkout gives the same bytes.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from importlib.metadata import distribution
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hushpoll_server.respond.release import files

PROJECT = "hushpoll"
EXTRAS = frozenset({"", "analysis", "postgres", "server"})

Json = dict[str, Any]
Graph = dict[str, set[str]]


def main() -> int:
    """Print the bill."""
    json.dump(bill(), sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")
    return 0


def bill() -> Json:
    """Return the bill of what is installed."""
    graph = dependencies()
    light = dependencies(frozenset({""}))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"timestamp": moment(), "component": {**component(PROJECT), "type": "application"}},
        "components": [
            *({**component(name), "scope": scope(name, light)} for name in sorted(graph) if name != PROJECT),
            *scripts(),
        ],
        "dependencies": [
            {"ref": reference(name), "dependsOn": sorted(map(reference, graph[name]))} for name in sorted(graph)
        ],
    }


def dependencies(extras: frozenset[str] = EXTRAS) -> Graph:
    """Return what each package needs on this machine, beginning with the project and its extras."""
    graph: Graph = {}
    waiting = [(PROJECT, extras)]
    while waiting:
        name, own_extras = waiting.pop()
        needed = [requirement for requirement in requirements(name) if applies(requirement, own_extras)]
        names = {canonicalize_name(requirement.name): requirement.extras for requirement in needed}
        graph.setdefault(name, set()).update(names.keys() - {name})
        waiting += [(other, frozenset({"", *more})) for other, more in names.items() if other not in graph]
    return graph


def requirements(name: str) -> list[Requirement]:
    """Return the declared requirements of a package."""
    return [Requirement(text) for text in distribution(name).requires or []]


def applies(requirement: Requirement, extras: frozenset[str]) -> bool:
    """Return whether a requirement applies on this machine with one of the extras."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras)


def component(name: str) -> Json:
    """Return the description of an installed package."""
    about = distribution(name)
    described: Json = {"type": "library", "bom-ref": reference(name), "name": about.metadata["Name"]}
    described |= {"version": about.version, "purl": reference(name)}
    # Older packages state their licence in ways that no tool reads.
    licences = about.metadata.get_all("License-Expression") or []
    return {**described, "licenses": [{"expression": licence} for licence in licences]} if licences else described


def scope(name: str, light: Graph) -> str:
    """Return whether a package is required by the light client, or optional with an extra."""
    return "required" if name in light else "optional"


def reference(name: str) -> str:
    """Return the package URL (purl) of a package."""
    return f"pkg:pypi/{canonicalize_name(name)}@{distribution(name).version}"


def scripts() -> list[Json]:
    """Return the description of what browsers load."""
    return [
        {"type": "file", "bom-ref": path, "name": path, "hashes": [{"alg": "SHA-256", "content": code.sha256}]}
        for path, code in files().items()
    ]


def moment() -> str:
    """Return the time of the release: that of its commit, not of this run."""
    return datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


if __name__ == "__main__":
    sys.exit(main())
