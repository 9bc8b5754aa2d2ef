/**
 * @file Repeated waves: k-ary randomized response of a k-ary randomized response that this device remembers.
 *
 * The permanent draw of each answer follows from the device's secret (see permanent.js), so it is the same in every
 * wave; the instantaneous draw is new in each. However many waves there are, all reports of an unchanged answer
 * together have the odds of the permanent draw: those are stated. A changed answer costs them again.
 */
import { Subset } from "./subset.js";
import { THRESHOLD } from "./two_weights.js";

export class Repeated extends Subset {
  static bounds = { size: [2, 256], permanent: THRESHOLD, instant: THRESHOLD };

  /** @param {T.Some<"size" | "permanent" | "instant">} fields */
  constructor({ permanent, instant, ...fields }) {
    super({ ...fields, picks: 1, threshold: permanent });
    this.permanent = new Subset({ ...fields, picks: 1, threshold: permanent });
    this.instant = new Subset({ ...fields, picks: 1, threshold: instant });
  }

  /** @param {T.ByteSource} source @param {number} code @param {any} [memos] of all codes */
  sample(source, code, memos) {
    return this.instant.draw(source, memos[code].code);
  }
}
