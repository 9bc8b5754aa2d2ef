/**
 * A public grid on the range of a number, and the way of a number onto it.
 *
 * The rule here: a number is the exact value of its binary representation, moved into the range on the device. What
 * becomes of it later holds for every point of the grid, so the rounding of the input is no privacy matter.
 */
import { bernoulli, SPAN } from "../randomness.js";

/** @import { ByteSource, NumberCode, Share } from "../types.js" */

/**
 * Return (answer − min)/(max − min), from 0 to 1.
 * @param {number} answer @param {any} min a decimal number, as a text @param {any} max @returns {Share}
 */
export function placeOf(answer, min, max) {
  // Exact down to 2^-1000. What is finer changes no draw: a boundary between two is 0, or further from it than 2^-900.
  const exact = (BigInt(Math.trunc(answer)) << 1000n) + BigInt(Math.floor((answer % 1) * 2 ** 1000));
  const low = scaled(min);
  const bottom = scaled(max) - low;
  // The middle one of three: what lies outside is moved to the end.
  const [, top] = [0n, exact * 10n ** 15n - low, bottom].sort((a, b) => Number(a - b));
  return { top, bottom };
}

/** Return a number of at most 15 decimals times 10^15 · 2^1000. @param {string} number */
function scaled(number) {
  const [whole, decimals = ""] = number.split(".");
  return BigInt(whole + decimals.padEnd(15, "0")) << 1000n;
}

/**
 * Return the grid point of an answer. Between two, one is drawn, so that the mean stays. Extras are behind the last.
 * @param {ByteSource} source @param {NumberCode} code @param {number} steps
 */
export function drawPoint(source, code, steps) {
  // An extra takes as many bytes as a number: its coin always shows 0.
  if (typeof code === "number") return steps + 1 + code + bernoulli(source, 0n);
  const { top, bottom } = code;
  const position = top * BigInt(steps);
  const below = Math.min(Number(position / bottom), steps - 1);
  // At the end of the range the threshold is 2^64, above all draws.
  return below + bernoulli(source, ((position - BigInt(below) * bottom) * SPAN) / bottom);
}
