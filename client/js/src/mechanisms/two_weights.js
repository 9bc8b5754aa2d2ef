/**
 * Designs in which the truth splits the possible reports in two: those inside weigh E, those outside weigh 1.
 *
 * A report inside has the probability T/(2^64 · inside), one outside (2^64 − T)/(2^64 · outside), whatever the truth
 * is: the ratio of the two are the odds.
 */
import { bernoulli, SPAN, uniform } from "../randomness.js";
import { Design } from "./design.js";

/** @import { ByteSource, Domain } from "../types.js" */

export class TwoWeights extends Design {
  /**
   * @param {bigint} threshold of 2^64 draws, how many give a report inside
   * @param {number} inside @param {number} outside the numbers of reports, up to a factor that they share
   * @param {Domain} domain @param {number | bigint} [last]
   */
  constructor(threshold, inside, outside, domain, last = inside + outside - 1) {
    super([threshold * BigInt(outside), (SPAN - threshold) * BigInt(inside)], domain, last);
    this.threshold = threshold;
    this.inside = inside;
    this.outside = outside;
  }

  /**
   * Draw the coin, a report inside and one outside, whatever the coin shows: no branch depends on it.
   * @param {ByteSource} source
   */
  toss(source) {
    const keep = bernoulli(source, this.threshold);
    const near = Number(uniform(source, this.inside));
    const far = Number(uniform(source, this.outside));
    return { keep, near, far };
  }
}

/** Return 1 if a ≥ b, else 0, without a branch; both below 2^31. @param {number} a @param {number} b */
export function isAtLeast(a, b) {
  return ~(a - b) >>> 31;
}
