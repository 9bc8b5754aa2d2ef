/**
 * @file Square wave for distributions: the report is a bin near the answer's with weight E, one further away with
 * weight 1.
 *
 * Near: at most `half` bins away, on a line that is `half` bins longer at both ends. An extra (prefer not to say, does
 * not apply) is a bin far away, with near ones of its own. No branch depends on the coin.
 */
import { isPlace } from "../domains.js";
import { isFrom, THRESHOLD, TwoWeights } from "./two_weights.js";

export class Wave extends TwoWeights {
  static bounds = { bins: [2, 1024], half: [0, 1024], extras: [0, 2], threshold: THRESHOLD };

  /** @param {T.Some<"bins" | "half" | "extras" | "threshold">} fields */
  constructor(fields) {
    const { bins, half, extras } = fields;
    const inside = 2 * half + 1;
    super(fields, inside, bins - 1 + extras * inside);
  }

  /** @param {T.Code} code */
  holds(code) {
    return isPlace(code, this.extras);
  }

  /** @param {T.ByteSource} source @param {T.NumberCode} code */
  sample(source, code) {
    const { bins, inside } = this;
    const last = bins - 1;
    const isExtra = typeof code === "number";
    const start = isExtra
      ? last + (code + 1) * inside
      : Math.min(Number((code.top * BigInt(bins)) / code.bottom), last);
    const [keep, near, far] = this.toss(source);
    return this.write(keep * (start + near) + (1 - keep) * (far + isFrom(far, start) * inside));
  }
}
