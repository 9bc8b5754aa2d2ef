/**
 * Square wave for distributions: the report is a bin near the answer's with weight E, one further away with weight 1.
 *
 * Near: at most `half` bins away, on a line that is `half` bins longer at both ends. An extra (prefer not to say, does
 * not apply) is a bin far away, with near ones of its own. No branch depends on the coin.
 */
import { bernoulli, checkThreshold, readFields } from "../core.js";
import { uniform } from "../uniform.js";
import { TwoWeights } from "./two_weights.js";
import { checkSize, indexWidth, isBelow, writeIndex } from "./wire.js";

/** @import { ByteSource, NumberCode } from "../types.js" */

const MOST_BINS = 1024;

export class Wave extends TwoWeights {
  /** @param {number} bins @param {number} half @param {number} extras @param {bigint} threshold */
  constructor(bins, half, extras, threshold) {
    const inside = 2 * half + 1;
    const outside = bins - 1 + extras * inside;
    super(threshold, inside, outside);
    this.inside = inside;
    this.outside = outside;
    this.bins = bins;
    this.half = half;
    this.extras = extras;
    Object.freeze(this);
  }

  /** @param {unknown} fields */
  static read(fields) {
    const { bins, half, extras, threshold, ...claims } = readFields(fields, "wave", "bins,half,extras,threshold");
    const sizes = [checkSize(bins, 2, MOST_BINS), checkSize(half, 0, MOST_BINS), checkSize(extras, 0, 2)];
    return new Wave(sizes[0], sizes[1], sizes[2], checkThreshold(threshold)).check(claims);
  }

  get blank() {
    return "-".repeat(indexWidth(this.inside + this.outside - 1));
  }

  /** @param {ByteSource} source @param {NumberCode} answer */
  draw(source, answer) {
    const { inside, outside } = this;
    const start = this.#startOf(answer);
    const keep = bernoulli(source, this.threshold);
    const near = start + Number(uniform(source, BigInt(inside)));
    const other = Number(uniform(source, BigInt(outside)));
    const far = other + (1 - isBelow(other, start)) * inside;
    return writeIndex(keep * near + (1 - keep) * far, inside + outside - 1);
  }

  /** Give the first near output. @param {NumberCode} answer */
  #startOf(answer) {
    if (typeof answer === "number") return this.bins + 2 * this.half + answer * this.inside;
    return Math.min(this.bins - 1, Number((answer.top * BigInt(this.bins)) / answer.bottom));
  }
}
