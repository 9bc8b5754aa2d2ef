/**
 * Square wave for distributions: the report is a bin near the answer's with weight E, one further away with weight 1.
 *
 * Near: at most `half` bins away, on a line that is `half` bins longer at both ends. An extra (prefer not to say, does
 * not apply) is a bin far away, with near ones of its own. No branch depends on the coin.
 */
import { THRESHOLD } from "./design.js";
import { Numbers } from "./domains.js";
import { rounded, timesBeside } from "./sentence.js";
import { isAtLeast, TwoWeights } from "./two_weights.js";

/** @import { ByteSource, NumberCode, DesignParameters } from "../types.js" */

export class SquareWave extends TwoWeights {
  static NAME = "square_wave";
  static bounds = { bins: [2, 1024], half: [0, 1024], extras: [0, 6], threshold: THRESHOLD };

  /** @param {DesignParameters<"bins" | "half" | "extras" | "threshold">} parameters */
  constructor({ bins, half, extras, threshold }) {
    const inside = 2 * half + 1;
    const outside = bins - 1 + extras * inside;
    super(threshold, inside, outside, new Numbers("distribution", extras));
    this.bins = bins;
    this.half = half;
    this.extras = extras;
  }

  /** @param {ByteSource} source @param {NumberCode} code */
  sample(source, code) {
    const start = this.#firstNear(code);
    const { keep, near, far } = this.toss(source);
    return this.write(keep * (start + near) + (1 - keep) * (far + isAtLeast(far, start) * this.inside));
  }

  /** Return the first of the reports near an answer. @param {NumberCode} code */
  #firstNear(code) {
    const last = this.bins - 1;
    if (typeof code === "number") return last + (code + 1) * this.inside;
    return Math.min(Number((code.top * BigInt(this.bins)) / code.bottom), last);
  }

  /** @param {string} draw @param {number} place */
  names(draw, place) {
    return Math.floor((Number.parseInt(draw, 16) - this.#firstNear(place)) / this.inside) === 0;
  }

  /** @param {string} draw */
  share(draw) {
    const bin = Number.parseInt(draw, 16) - this.half;
    return bin < this.bins + this.half ? (bin + 0.5) / this.bins : undefined;
  }

  oddsSentence() {
    const { bins, extras, inside, outside, threshold } = this;
    const near = rounded(100 * inside, 2 * bins);
    const times = timesBeside(threshold, inside, inside + outside);
    return { key: extras ? "odds_extras" : "odds", values: { near }, times };
  }
}
