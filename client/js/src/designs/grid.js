/** Numbers on a grid: an answer between two grid points is moved to one of them by lot, so that its mean stays. */
import { bernoulli, SPAN } from "../core.js";

/** @import { ByteSource, NumberCode } from "../types.js" */

/**
 * Draw the grid point of an answer that lies at the share top/bottom of the range. Extras are points behind the last.
 * @param {ByteSource} source @param {NumberCode} answer @param {number} steps between the first and the last grid point
 */
export function drawPoint(source, answer, steps) {
  if (typeof answer === "number") return steps + 1 + answer + bernoulli(source, 0n);
  const { top, bottom } = answer;
  const position = top * BigInt(steps);
  const below = Math.min(Number(position / bottom), steps - 1);
  const rest = ((position - BigInt(below) * bottom) * SPAN) / bottom;
  // At the end of the range the rest is 2^64: the coin must show 1.
  return below + (bernoulli(source, rest % SPAN) | Number(rest / SPAN));
}
