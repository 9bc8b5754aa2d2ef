/**
 * Discrete Laplace: the answer's grid point, plus one geometric draw, minus another, cut off at `reach` beyond the ends.
 *
 * A geometric draw is the number of coins that show 1 before the first 0; P(1) = A/2^64. One step on the grid changes
 * the probability of a report by at most 2^64/A, the whole range by odds = (2^64/A)^steps; cutting off adds nothing.
 */
import { bernoulli, checkThreshold, Design, need, readFields, SPAN } from "../core.js";
import { drawPoint } from "./grid.js";
import { checkSize, indexWidth, writeIndex } from "./wire.js";

/** @import { ByteSource, Share } from "../types.js" */

const MOST_STEPS = 64;
const LARGEST_REACH = 2 ** 24;
// More would keep a phone busy: enough for an epsilon of 0.01 on the finest grid.
const MOST_COINS = 6500n;

export class Laplace extends Design {
  /** @param {number} steps @param {number} reach @param {bigint} threshold A */
  constructor(steps, reach, threshold) {
    // A geometric number takes M/(M - A) coins on average.
    need((SPAN - threshold) * MOST_COINS >= SPAN, "Laplace noise would take too many coins");
    super(SPAN ** BigInt(steps), threshold ** BigInt(steps));
    this.steps = steps;
    this.reach = reach;
    this.threshold = threshold;
    Object.freeze(this);
  }

  /** @param {unknown} fields */
  static read(fields) {
    const { steps, reach, threshold, ...claims } = readFields(fields, "laplace", "steps,reach,threshold");
    const sizes = [checkSize(steps, 1, MOST_STEPS), checkSize(reach, 1, LARGEST_REACH)];
    return new Laplace(sizes[0], sizes[1], checkThreshold(threshold)).check(claims);
  }

  get blank() {
    return "-".repeat(indexWidth(this.steps + 2 * this.reach));
  }

  /** @param {ByteSource} source @param {Share} answer */
  draw(source, answer) {
    const { steps, reach, threshold } = this;
    const point = drawPoint(source, answer, steps);
    const noisy = point + countOnes(source, threshold) - countOnes(source, threshold);
    return writeIndex(Math.min(Math.max(noisy, -reach), steps + reach) + reach, steps + 2 * reach);
  }
}

/** @param {ByteSource} source @param {bigint} threshold */
function countOnes(source, threshold) {
  let count = 0;
  while (bernoulli(source, threshold)) count += 1;
  return count;
}
