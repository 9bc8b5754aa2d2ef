/** Numbers on a grid: an answer between two grid points is moved to one of them by lot, so that its mean stays. */
import { bernoulli, SPAN } from "../core.js";

/** @import { ByteSource, Share } from "../types.js" */

/**
 * Draw the grid point of an answer that lies at the share top/bottom of the range.
 * @param {ByteSource} source @param {Share} answer @param {number} steps between the first and the last grid point
 */
export function drawPoint(source, { top, bottom }, steps) {
  const position = top * BigInt(steps);
  const below = Math.min(Number(position / bottom), steps - 1);
  const rest = ((position - BigInt(below) * bottom) * SPAN) / bottom;
  // At the end of the range the rest is 2^64: the coin must show 1.
  return below + (bernoulli(source, rest % SPAN) | Number(rest / SPAN));
}
