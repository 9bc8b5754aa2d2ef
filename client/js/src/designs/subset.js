/**
 * @file Subset selection: report a set of `picks` of the `size` categories; sets that contain the truth weigh E, the
 * others 1.
 *
 * With one pick it is k-ary randomized response. No branch depends on the coin or the answer.
 */
import { bernoulli, choose } from "../randomness.js";
import { isFrom, THRESHOLD, TwoWeights } from "./two_weights.js";

export class Subset extends TwoWeights {
  /** @type {Record<string, readonly (number | bigint)[]>} */
  static bounds = { size: [2, 2048], picks: [1, 2048], threshold: THRESHOLD };

  /** @param {T.Some<"size" | "picks" | "threshold">} fields */
  constructor(fields) {
    const { size, picks } = fields;
    super(fields, picks, size - picks, picks === 1 ? size - 1 : 2n ** BigInt((size + 7) & ~7) - 1n);
  }

  /** @param {T.ByteSource} source @param {number} code @returns {T.Draw} */
  sample(source, code) {
    const members = this.choose(source, code);
    const end = this.blank.length * 4 - 1;
    return this.write(this.picks === 1 ? members[0] : members.reduce((set, i) => set + 2n ** BigInt(end - i), 0n));
  }

  /** Draw the members of the set. @param {T.ByteSource} source @param {number} code */
  choose(source, code) {
    const keep = bernoulli(source, this.threshold);
    /** @remarks The others are numbered without the truth, to which the last of them gives way. */
    const members = choose(source, this.size - 1, this.picks).map((other) => other + isFrom(other, code));
    members.push((1 - keep) * Number(members.pop()) + keep * code);
    return members;
  }
}
