/**
 * @file When a report leaves. Where some questions are asked of some people only, the moment of Send would tell which:
 * reports leave at points of a grid instead, counted from the opening of the page.
 */
import { LONGEST_WAIT } from "../src/http.js";
import { SecureBytes } from "../src/randomness.js";

/** @import { Item } from "./types.js" */

/** In ms. Nobody can turn it while the page is open. */
export function clock() {
  return performance.timeOrigin + performance.now();
}

/**
 * Give the minutes from one point to the next: nearly everybody on the longest path has pressed Send before the first.
 * Without branches there is none. The server's lint says the same (hushpoll_shared/moment.py).
 * @param {readonly Item[]} items
 */
export function minutesOf(items) {
  const isBranched = items.some(({ part }) => part.when);
  return isBranched ? Math.min((4 + screensAfter(items)) / 4, LONGEST_WAIT / 90) : 0;
}

/**
 * Count the screens of the longest path after a question, or in all. Ticks can open all branches, one answer only some.
 * @param {readonly Item[]} items @param {any} [gate] @returns {number}
 */
function screensAfter(items, gate = {}) {
  const next = items.filter(({ part }) => part.when?.[0] === gate.id);
  const sum = (/** @type {readonly Item[]} */ some) =>
    some.reduce((all, { part }) => all + 1 + screensAfter(items, part), 0);
  if (!gate.id || gate.type === "multi_choice") return sum(next);
  const answers = next.flatMap(({ part }) => part.when[1]);
  return Math.max(0, ...answers.map((answer) => sum(next.filter(({ part }) => part.when[1].includes(answer)))));
}

/**
 * Give the next point; by lot, for one report in eight, a later one: then a late report may be anybody's.
 * @param {number} minutes @param {number} [elapsed] since the page was opened, in ms
 */
export function nextMoment(minutes, elapsed = performance.now()) {
  if (!minutes) return 0;
  const step = minutes * 60_000;
  const [lot] = new SecureBytes().take(1);
  return performance.timeOrigin + step * (Math.ceil(elapsed / step) + Number(lot < 32) + Number(lot < 4));
}
