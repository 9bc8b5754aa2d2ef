/**
 * Discrete Laplace noise: the answer's grid point, plus one geometric draw, minus another, cut off at `reach` beyond
 * the ends.
 *
 * A geometric draw is the number of coins that show 1 before the first 0; P(1) = A/2^64. One step on the grid changes
 * the probability of a report by at most 2^64/A, the whole range by odds = (2^64/A)^steps; cutting off adds nothing.
 */
import { need } from "../errors.js";
import { bernoulli, SPAN } from "../randomness.js";
import { Design, THRESHOLD } from "./design.js";
import { Numbers } from "./domains.js";
import { drawPoint } from "./grid.js";
import { guessesOf } from "./sentence.js";

/** @import { ByteSource, NumberCode, DesignParameters } from "../types.js" */

// More would keep a phone busy, or for ever: enough for an epsilon of 0.01 on the finest grid.
const MOST_COINS = 6500n;

export class Laplace extends Design {
  static NAME = "laplace";
  static bounds = { steps: [1, 64], reach: [1, 2 ** 24], threshold: THRESHOLD };

  /** @param {DesignParameters<"steps" | "reach" | "threshold">} parameters */
  constructor({ steps, reach, threshold }) {
    // A geometric number takes M/(M − A) coins on average.
    need((SPAN - threshold) * MOST_COINS >= SPAN);
    const odds = [SPAN ** BigInt(steps), threshold ** BigInt(steps)];
    super(odds, new Numbers("mean", 0), steps + 2 * reach);
    this.steps = steps;
    this.reach = reach;
    this.threshold = threshold;
  }

  /** @param {ByteSource} source @param {NumberCode} code */
  sample(source, code) {
    const { steps, reach, threshold } = this;
    const point = drawPoint(source, code, steps);
    const noisy = point + countOnes(source, threshold) - countOnes(source, threshold);
    return this.write(Math.min(Math.max(noisy, -reach), steps + reach) + reach);
  }

  /** @param {string} draw */
  share(draw) {
    return (Number.parseInt(draw, 16) - this.reach) / this.steps;
  }

  oddsSentence() {
    return { key: "odds", phrases: guessesOf(this.weights) };
  }
}

/** @param {ByteSource} source @param {bigint} threshold */
function countOnes(source, threshold) {
  let count = 0;
  while (bernoulli(source, threshold)) count += 1;
  return count;
}
