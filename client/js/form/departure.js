/**
 * When a report leaves. If some questions are asked of some people only, the time of Send would reveal which. So
 * reports leave at points of a grid, counted from when the page was opened.
 */
import { LONGEST_WAIT } from "../src/http.js";
import { Ticks } from "../src/mechanisms/domains.js";
import { SecureBytes } from "../src/randomness.js";

/** @import { AnyQuestion } from "../src/types.js" */

/** Return the time in ms. This clock cannot be set while the page is open. */
export function clock() {
  return performance.timeOrigin + performance.now();
}

/**
 * Return the minutes from one point to the next: nearly everybody on the longest path has pressed Send before the
 * first. Without branches the result is 0. The server's lint says the same (hushpoll_shared/departure.py).
 * @param {readonly AnyQuestion[]} parts all that is asked
 */
export function minutesBetween(parts) {
  const isBranched = parts.some(({ when }) => when);
  const always = parts.filter(({ when }) => !when);
  return isBranched ? Math.min((4 + countScreens(always, parts)) / 4, LONGEST_WAIT / 90) : 0;
}

/**
 * Return the number of questions, with the longest paths after each.
 * @param {readonly AnyQuestion[]} some @param {readonly AnyQuestion[]} parts @returns {number}
 */
function countScreens(some, parts) {
  return some.reduce((sum, part) => sum + 1 + countScreensAfter(part, parts), 0);
}

/**
 * Return the number of screens on the longest path after a question.
 * @param {AnyQuestion} gate @param {readonly AnyQuestion[]} parts
 */
function countScreensAfter(gate, parts) {
  const next = parts.filter(({ when }) => when?.[0] === gate.id);
  // Ticks can open all branches at once, one answer opens only its own.
  if (gate.domain instanceof Ticks) return countScreens(next, parts);
  const answers = next.flatMap(({ when }) => when?.[1] ?? []);
  const opened = answers.map((answer) => next.filter(({ when }) => when?.[1].includes(answer)));
  return Math.max(0, ...opened.map((some) => countScreens(some, parts)));
}

/**
 * Return the next point or, for one report in eight at random, a later one: then a late report may be anybody's.
 * @param {number} minutes @param {number} [elapsed] since the page was opened, in ms
 */
export function nextDeparture(minutes, elapsed = performance.now()) {
  if (!minutes) return 0;
  const step = minutes * 60_000;
  const [lot] = new SecureBytes().take(1);
  return performance.timeOrigin + step * (Math.ceil(elapsed / step) + Number(lot < 32) + Number(lot < 4));
}
