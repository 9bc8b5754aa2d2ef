/**
 * Square wave for distributions: the report is a bin near the answer's with weight E, one further away with weight 1.
 *
 * Near: at most `half` bins away, on a line that is `half` bins longer at both ends. No branch depends on the coin.
 */
import { bernoulli, checkThreshold, readFields } from "../core.js";
import { uniform } from "../uniform.js";
import { TwoWeights } from "./two_weights.js";
import { checkSize, indexWidth, isBelow, writeIndex } from "./wire.js";

/** @import { ByteSource, Share } from "../types.js" */

const MOST_BINS = 1024;

export class Wave extends TwoWeights {
  /** @param {number} bins @param {number} half @param {bigint} threshold */
  constructor(bins, half, threshold) {
    super(threshold, 2 * half + 1, bins - 1);
    this.bins = bins;
    this.half = half;
    Object.freeze(this);
  }

  /** @param {unknown} fields */
  static read(fields) {
    const { bins, half, threshold, ...claims } = readFields(fields, "wave", "bins,half,threshold");
    return new Wave(checkSize(bins, 2, MOST_BINS), checkSize(half, 0, MOST_BINS), checkThreshold(threshold)).check(
      claims,
    );
  }

  get blank() {
    return "-".repeat(indexWidth(this.bins + 2 * this.half - 1));
  }

  /** @param {ByteSource} source @param {Share} answer */
  draw(source, { top, bottom }) {
    const { bins, half } = this;
    const bin = Math.min(bins - 1, Number((top * BigInt(bins)) / bottom));
    const keep = bernoulli(source, this.threshold);
    const near = bin + Number(uniform(source, BigInt(2 * half + 1)));
    const other = Number(uniform(source, BigInt(bins - 1)));
    const far = other + (1 - isBelow(other, bin)) * (2 * half + 1);
    return writeIndex(keep * near + (1 - keep) * far, bins + 2 * half - 1);
  }
}
