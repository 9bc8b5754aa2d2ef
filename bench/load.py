"""Send requests over many connections at once, and time each response: a separate program, `python -m bench.load`.

Without a rate, every connection sends its next request as soon as it is free, so the server works as fast as it can.
With a rate, each request is due at a certain time, whether or not earlier ones were answered, and its latency is
measured from that time: a server that stalls for a second is late for all requests of that second, not for one.

One thread, one selector. It reports the share of the time in which it was busy itself; near 1 it would be the limit,
not the server. Every wait ends: a server that falls silent is an error.
"""

from __future__ import annotations

import argparse
import json
import random
import selectors
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

from bench.connections import SILENCE_SECONDS, Connection, LoadError, Tally, connected, finish, responses
from bench.messages import HOST, NextRequest, batch_requests, empty_requests, report_requests


@dataclass(frozen=True)
class Outcome:
    """What was counted between the warm-up and the end."""

    requests: int
    stored: int
    seconds: float
    busy: float
    p50: float
    p99: float
    statuses: dict[str, int]

    @property
    def rate(self) -> float:
        """Return the responses per second."""
        return self.requests / self.seconds

    @property
    def stored_rate(self) -> float:
        """Return the stored reports per second."""
        return self.stored / self.seconds


def run(port: int, next_request: NextRequest, *, connections: int, warm_up: float, seconds: float) -> Outcome:
    """Keep every connection busy for this long; count the responses after the warm-up."""
    with selectors.DefaultSelector() as selector, connected(selector, port, connections) as opened:
        for connection in opened:
            connection.send(next_request(), time.perf_counter())
        _exchange(selector, next_request, time.perf_counter() + warm_up)
        began, busy = time.perf_counter(), time.process_time()
        tally = _exchange(selector, next_request, began + seconds)
        outcome = _outcome(tally, time.perf_counter() - began, time.process_time() - busy)
        finish(selector)
        return outcome


def run_at(port: int, next_request: NextRequest, *, due: Iterator[float], connections: int, warm_up: float) -> Outcome:
    """Send a request at each of these seconds from now, or as soon as a connection is free; count all responses.

    Only requests that were due after the warm-up count.
    """
    # Other selectors round a wait up to the next millisecond.
    with selectors.SelectSelector() as selector, connected(selector, port, connections) as idle:
        began, busy = time.perf_counter(), time.process_time()
        tally = _send_when_due(selector, list(idle), next_request, (began + each for each in due), began + warm_up)
        return _outcome(tally, time.perf_counter() - began - warm_up, time.process_time() - busy)


def arrivals(rate: float, seconds: float) -> Iterator[float]:
    """Yield the times of independent arrivals: a Poisson process with this rate."""
    chance = random.Random(0)  # noqa: S311 (when requests are sent is no secret)
    now = chance.expovariate(rate)
    while now < seconds:
        yield now
        now += chance.expovariate(rate)


def quantile(ordered: list[float], share: float) -> float:
    """Return the value below which this share of ordered values lies; 0 if there is none."""
    return ordered[int(share * (len(ordered) - 1))] if ordered else 0.0


def _exchange(selector: selectors.BaseSelector, next_request: NextRequest, end: float) -> Tally:
    """Send the next request after every response until the end."""
    tally, last_response = Tally(), time.perf_counter()
    while (now := time.perf_counter()) < end:
        _check_silence(last_response)
        for connection, response in responses(selector, min(SILENCE_SECONDS, end - now)):
            last_response = now = time.perf_counter()
            tally.add(response, now - connection.started)
            connection.send(next_request(), now)
    return tally


def _send_when_due(
    selector: selectors.BaseSelector,
    idle: list[Connection],
    next_request: NextRequest,
    due: Iterator[float],
    count_from: float,
) -> Tally:
    tally, connections, last_response = Tally(), len(idle), time.perf_counter()
    waiting = next(due, None)
    while waiting is not None or len(idle) < connections:
        now = time.perf_counter()
        while idle and waiting is not None and waiting <= now:
            idle.pop().send(next_request(), waiting)
            waiting = next(due, None)
        if len(idle) == connections:
            last_response = now
        _check_silence(last_response)
        wait = waiting - now if idle and waiting is not None else SILENCE_SECONDS
        for connection, response in responses(selector, max(0.0, wait)):
            last_response = time.perf_counter()
            idle.append(connection)
            if connection.started >= count_from:
                tally.add(response, last_response - connection.started)
    return tally


def _check_silence(last_response: float) -> None:
    if time.perf_counter() - last_response > SILENCE_SECONDS:
        raise LoadError(f"the server was silent for {SILENCE_SECONDS:.0f} s")


def _outcome(tally: Tally, took: float, busy: float) -> Outcome:
    ordered = sorted(tally.latencies)
    return Outcome(
        requests=len(ordered),
        stored=tally.stored,
        seconds=took,
        busy=busy / took,
        p50=quantile(ordered, 0.50),
        p99=quantile(ordered, 0.99),
        statuses={status.decode("ascii", "replace"): count for status, count in sorted(tally.statuses.items())},
    )


def main() -> None:
    """Read the options, run, print the outcome as JSON."""
    options = _options()
    next_request = _next_request(options)
    if options.requests:
        due: Iterator[float] = repeat(0.0, options.requests)
        outcome = run_at(options.port, next_request, due=due, connections=options.connections, warm_up=0.0)
    elif options.rate:
        due = arrivals(options.rate, options.warm_up + options.seconds)
        outcome = run_at(options.port, next_request, due=due, connections=options.connections, warm_up=options.warm_up)
    else:
        outcome = run(
            options.port,
            next_request,
            connections=options.connections,
            warm_up=options.warm_up,
            seconds=options.seconds,
        )
    print(json.dumps(vars(outcome)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument(
        "--header", action="append", default=[], help="a header of GET requests and batches; may be repeated"
    )
    parser.add_argument("--reports", type=Path, help="reports to post, one per line; without it, GET requests are sent")
    parser.add_argument("--batch", type=int, default=0, help="reports in a request, as NDJSON; 0 posts them one by one")
    parser.add_argument("--gzip", action="store_true", help="compress batches")
    parser.add_argument("--rate", type=float, default=0.0, help="requests due per second; 0 sends as fast as possible")
    parser.add_argument("--requests", type=int, default=0, help="send this many as fast as possible, then stop")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--warm-up", type=float, default=0.3)
    parser.add_argument("--seconds", type=float, default=2.0)
    return parser.parse_args()


def _next_request(options: argparse.Namespace) -> NextRequest:
    host = f"{HOST}:{options.port}"
    if not options.reports:
        return empty_requests(options.path, options.header, host=host)
    reports = options.reports.read_bytes().splitlines()
    if options.batch:
        return batch_requests(
            options.path, reports, options.batch, headers=options.header, compressed=options.gzip, host=host
        )
    return report_requests(options.path, reports, host=host)


if __name__ == "__main__":
    main()
