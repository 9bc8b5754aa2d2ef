/**
 * Designs in which the truth splits the possible reports in two: those inside weigh E, those outside weigh 1.
 *
 * A report inside has the probability T/(2^64 · inside), one outside (2^64 − T)/(2^64 · outside), whatever the truth
 * is: the ratio of the two are the odds.
 */
import { Design, SPAN } from "../core.js";

export class TwoWeights extends Design {
  /** @param {bigint} threshold T @param {number} inside @param {number} outside numbers of reports, or their ratio */
  constructor(threshold, inside, outside) {
    super(threshold * BigInt(outside), (SPAN - threshold) * BigInt(inside), threshold, SPAN);
    this.threshold = threshold;
  }
}
