/**
 * Repeated waves: k-ary randomized response of a k-ary randomized response that this device remembers.
 *
 * The permanent draw of each answer follows from the device's secret (see permanent.js), so it is the same in every
 * wave; the instantaneous draw is new in each. However many waves there are, all reports of an unchanged answer
 * together have the odds of the permanent draw: those are stated. A changed answer costs them again.
 */
import { Design, THRESHOLD } from "./design.js";
import { restOf, timesOf } from "./sentence.js";
import { Subset } from "./subset.js";

/** @import { ByteSource, Memo, DesignParameters } from "../types.js" */

export class Repeated extends Design {
  static NAME = "repeated";
  static bounds = { size: [2, 256], permanent: THRESHOLD, instant: THRESHOLD };

  /** @param {DesignParameters<"size" | "permanent" | "instant">} parameters */
  constructor({ size, permanent, instant }) {
    const first = new Subset({ size, picks: 1, threshold: permanent });
    super(first.weights, first.domain, first.last);
    this.size = size;
    this.permanent = permanent;
    this.instant = instant;
    this.remembered = first;
    /** The draw that is made anew in each wave. */
    this.fresh = new Subset({ size, picks: 1, threshold: instant });
  }

  /** @param {ByteSource} source @param {number} code @param {readonly Memo[]} memos of all codes */
  sample(source, code, memos) {
    return this.fresh.draw(source, memos[code].code);
  }

  /** @param {string} draw @param {number} place */
  names(draw, place) {
    return this.fresh.names(draw, place);
  }

  oddsSentence() {
    return { key: "odds", times: timesOf(this.permanent), phrases: { rest: restOf(this.size) } };
  }
}
