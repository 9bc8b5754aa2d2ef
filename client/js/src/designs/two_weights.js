/**
 * @file Designs in which the truth splits the possible reports in two: those inside weigh E, those outside weigh 1.
 *
 * A report inside has the probability T/(2^64 · inside), one outside (2^64 − T)/(2^64 · outside), whatever the truth
 * is: the ratio of the two are the odds.
 */
import { Design, SPAN } from "../epsilon.js";
import { bernoulli, uniform } from "../randomness.js";

export const THRESHOLD = [1n, SPAN - 1n];

export class TwoWeights extends Design {
  /** @param {T.Some<"threshold">} fields @param {number} inside @param {number} outside @param {number | bigint} [last] */
  constructor(fields, inside, outside, last = inside + outside - 1) {
    const { threshold } = fields;
    super({ ...fields, inside, outside }, threshold * BigInt(outside), (SPAN - threshold) * BigInt(inside), last);
    this.timesIn100 = Number((100n * threshold + SPAN / 2n) / SPAN);
  }

  /** Draw all three, whatever the coin shows: no branch depends on it. @param {T.ByteSource} source */
  toss(source) {
    const keep = bernoulli(source, this.threshold);
    return [keep, Number(uniform(source, this.inside)), Number(uniform(source, this.outside))];
  }
}

/** Give 1 if a ≥ b, else 0, without a branch; both below 2^31. @param {number} a @param {number} b */
export function isFrom(a, b) {
  return ~(a - b) >>> 31;
}
