"""The libraries that bulk speed is compared with: pure-ldp and multi-freq-ldpy, where they are installed.

They are not installed for this. They have one call for each report and one for all reports together, so each is used
through its own public functions as in its examples: the client in a loop over plain integers, the aggregator on the
list of reports. The compiled functions are compiled before the clock starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

K_ARY, SETS = "k-ary RR", "subset/unary"
INSTALL = "pip install pure-ldp scikit-learn statsmodels multi-freq-ldpy"


@dataclass(frozen=True)
class Way:
    """One way to randomize codes and to estimate from the reports, with the functions named."""

    family: str
    library: str
    functions: str
    randomize: Callable[[Any], Any]
    aggregate: Callable[[Any], object]


def installed(size: int, epsilon: float) -> tuple[list[Way], list[str]]:
    """Return the ways of the libraries that can be imported, and notes about the others."""
    ways: list[Way] = []
    notes = []
    for library, find in (("pure-ldp", _pure_ldp), ("multi-freq-ldpy", _multi_freq_ldpy)):
        try:
            ways += find(size, epsilon)
        except ImportError as error:
            notes.append(f"{library} was not measured ({error}). To compare: {INSTALL}")
    return ways, notes


def _pure_ldp(size: int, epsilon: float) -> Iterator[Way]:
    direct = import_module("pure_ldp.frequency_oracles.direct_encoding")
    unary = import_module("pure_ldp.frequency_oracles.unary_encoding")
    options = {"epsilon": epsilon, "d": size, "index_mapper": int}

    def way(family: str, name: str, client: Any, new_server: Callable[[], Any]) -> Way:
        def aggregate(reports: list[Any]) -> object:
            server = new_server()
            server.aggregate_all(reports)
            return server.estimate_all(range(size), suppress_warnings=True)

        functions = f"{name}Client.privatise, {name}Server.aggregate_all"
        return Way(family, "pure-ldp", functions, lambda codes: [client.privatise(code) for code in codes], aggregate)

    yield way(K_ARY, "DE", direct.DEClient(**options), lambda: direct.DEServer(**options))
    options_of_unary = options | {"use_oue": True}
    yield way(SETS, "UE", unary.UEClient(**options_of_unary), lambda: unary.UEServer(**options_of_unary))


def _multi_freq_ldpy(size: int, epsilon: float) -> Iterator[Way]:
    oracles = "multi_freq_ldpy.pure_frequency_oracles"
    grr, ue, ss = (import_module(f"{oracles}.{name}") for name in ("GRR", "UE", "SS"))

    def way(family: str, name: str, client: Any, aggregate: Callable[[Any], object]) -> Way:
        # The first call compiles.
        client(0, size, epsilon)

        functions = f"{name}_Client, {name}_Aggregator_MI"
        return Way(
            family,
            "multi-freq-ldpy",
            functions,
            lambda codes: [client(code, size, epsilon) for code in codes],
            aggregate,
        )

    yield way(K_ARY, "GRR", grr.GRR_Client, lambda reports: grr.GRR_Aggregator_MI(reports, size, epsilon))
    yield way(SETS, "UE", ue.UE_Client, lambda reports: ue.UE_Aggregator_MI(reports, epsilon))
    yield way(SETS, "SS", ss.SS_Client, lambda reports: ss.SS_Aggregator_MI(reports, size, epsilon))
