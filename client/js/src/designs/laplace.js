/**
 * @file Discrete Laplace: the answer's grid point, plus one geometric draw, minus another, cut off at `reach` beyond
 * the ends.
 *
 * A geometric draw is the number of coins that show 1 before the first 0; P(1) = A/2^64. One step on the grid changes
 * the probability of a report by at most 2^64/A, the whole range by odds = (2^64/A)^steps; cutting off adds nothing.
 */
import { isPlace } from "../domains.js";
import { Design, SPAN } from "../epsilon.js";
import { need } from "../errors.js";
import { bernoulli } from "../randomness.js";
import { drawPoint } from "./channel.js";
import { THRESHOLD } from "./two_weights.js";

/** More would keep a phone busy, or for ever: enough for an epsilon of 0.01 on the finest grid. @type {bigint} */
const MOST_COINS = 6500n;

export class Laplace extends Design {
  static bounds = { steps: [1, 64], reach: [1, 2 ** 24], threshold: THRESHOLD };

  /** @param {T.Some<"steps" | "reach" | "threshold">} fields */
  constructor(fields) {
    const { steps, reach, threshold } = fields;
    /** @remarks A geometric number takes M/(M − A) coins on average. */
    need((SPAN - threshold) * MOST_COINS >= SPAN);
    super(fields, SPAN ** BigInt(steps), threshold ** BigInt(steps), steps + 2 * reach);
  }

  /** @param {T.Code} code */
  holds(code) {
    return isPlace(code);
  }

  /** @param {T.ByteSource} source @param {T.NumberCode} code */
  sample(source, code) {
    const { steps, reach, threshold } = this;
    const point = drawPoint(source, code, steps);
    const noisy = point + countOnes(source, threshold) - countOnes(source, threshold);
    return this.write(Math.min(Math.max(noisy, -reach), steps + reach) + reach);
  }
}

/** @param {T.ByteSource} source @param {bigint} threshold */
function countOnes(source, threshold) {
  let count = 0;
  while (bernoulli(source, threshold)) count += 1;
  return count;
}
