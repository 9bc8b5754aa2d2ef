"""A clock for pages that a test can turn forward, faithful where a grid of times needs it.

Every document counts from its own opening, as in a browser (Playwright's own clock counts from its installation), and
timers go off in their order while the clock moves. `posted` says at which time of the page a request left.
"""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page

_SCRIPT = """((ahead) => {
  const [now, today, wait, call] = [performance.now.bind(performance), Date.now, setTimeout, fetch];
  const timers = new Map();
  let last = 0;
  const fire = (id) => {
    const work = timers.get(id)?.work;
    timers.delete(id);
    work?.();
  };
  performance.now = () => now() + ahead;
  Date.now = () => today() + ahead;
  globalThis.clearTimeout = (id) => timers.delete(id);
  globalThis.setTimeout = (work, ms = 0, ...given) => {
    const id = ++last;
    timers.set(id, { due: performance.now() + ms, work: () => work(...given) });
    wait(fire, ms, id);
    return id;
  };
  globalThis.posted = [];
  globalThis.fetch = (...request) => {
    posted.push(performance.now());
    return call(...request);
  };
  globalThis.turnToLast = () => {
    const last = Math.max(...[...timers.values()].map(({ due }) => due));
    turnForward(last - performance.now());
  };
  globalThis.turnForward = (by) => {
    const end = performance.now() + by;
    for (;;) {
      const [next] = [...timers].sort(([, a], [, b]) => a.due - b.due);
      if (!next || next[1].due > end) break;
      ahead += Math.max(0, next[1].due - performance.now());
      fire(next[0]);
    }
    ahead += Math.max(0, end - performance.now());
  };
})"""


def install(target: Page | BrowserContext, *, ahead: float = 0) -> None:
    """Give every document opened from now on a clock that can be set, some seconds ahead of the real one."""
    target.add_init_script(f"{_SCRIPT}({ahead * 1000})")


def turn_forward(page: Page, seconds: float) -> None:
    """Let time pass in a page, timer by timer."""
    page.evaluate("turnForward", seconds * 1000)


def turn_to_last(page: Page) -> None:
    """Let time pass until the last timer has gone off, and no further."""
    page.evaluate("turnToLast()")


def elapsed(page: Page) -> float:
    """Return the seconds since the document was opened, on its own clock."""
    return float(page.evaluate("performance.now() / 1000"))


def posted(page: Page) -> list[float]:
    """Return the times, in seconds from the opening, at which requests left."""
    return [moment / 1000 for moment in page.evaluate("posted")]
