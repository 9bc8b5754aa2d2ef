/**
 * What people are told about a mechanism: which sentence of its words, and the figures that are filled in.
 *
 * The words are data (words/mechanisms), the same for the form, the server's pages and apps. A design only names a
 * sentence and gives its figures, here and in Python; the vectors hold both to the same.
 */
import { SPAN } from "../randomness.js";

/** Return a ratio, rounded to the nearest whole number. @param {...(number | bigint)} ratio */
export function rounded(...ratio) {
  const [top, bottom] = ratio.map(BigInt);
  return Number((2n * top + bottom) / (2n * bottom));
}

/** Return how often in 100 a report is as the sentence says first, and as it says next. @param {bigint} threshold */
export function timesOf(threshold) {
  const kept = rounded(100n * threshold, SPAN);
  return { kept, other: 100 - kept };
}

/**
 * Return the same, and how often a report would be as said first if it were drawn without looking at the answer.
 * @param {bigint} threshold @param {number | bigint} inside the number of such reports @param {number | bigint} all
 */
export function timesBeside(threshold, inside, all) {
  return { ...timesOf(threshold), blind: rounded(100n * BigInt(inside), all) };
}

/**
 * Return how often in 100, at most, a guess between two equally likely answers is right, and how often it is wrong.
 * @param {readonly bigint[]} weights
 */
export function guessesOf([a, b]) {
  // odds/(odds + 1) = a/(a + b), rounded up
  const n = Number((100n * a + a + b - 1n) / (a + b));
  return { kept: { key: "count", values: { n } }, other: { key: "count", values: { n: 100 - n } } };
}

/** Return the phrase for the answers that are not the real one. @param {number} size of all */
export function restOf(size) {
  return size === 2 ? { key: "rest_one" } : { key: "rest_many", values: { others: size - 1 } };
}
