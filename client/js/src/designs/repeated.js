/**
 * Repeated waves: k-ary randomized response of a k-ary randomized response that this device remembers.
 *
 * The permanent draw of each answer follows from the device's secret (see permanent.js), so it is the same in every
 * wave; the instantaneous draw is new in each. However many waves there are, all reports of an unchanged answer
 * together have the odds of the permanent draw: those are stated. A changed answer costs them again.
 */
import { checkThreshold, Design, need, readFields, SPAN } from "../core.js";
import { Subset } from "./subset.js";
import { checkSize } from "./wire.js";

/** @import { ByteSource, Memo } from "../types.js" */

const LARGEST = 256;

export class Repeated extends Design {
  /** @param {number} size @param {bigint} permanent @param {bigint} instant */
  constructor(size, permanent, instant) {
    const others = BigInt(size - 1);
    // The truth comes through if both draws keep it, or if the second brings it back, one of the others.
    const kept = permanent * instant * others + (SPAN - permanent) * (SPAN - instant);
    super(permanent * others, SPAN - permanent, kept, SPAN * SPAN * others);
    this.size = size;
    this.permanent = new Subset(size, 1, permanent);
    this.instant = new Subset(size, 1, instant);
    Object.freeze(this);
  }

  /** @param {unknown} fields */
  static read(fields) {
    const { size, permanent, instant, ...claims } = readFields(fields, "repeated", "size,permanent,instant");
    const categories = checkSize(size, 2, LARGEST);
    return new Repeated(categories, checkThreshold(permanent), checkThreshold(instant)).check(claims);
  }

  get blank() {
    return this.instant.blank;
  }

  /** @param {ByteSource} source @param {number} code @param {readonly Memo[]} [memos] of all codes */
  draw(source, code, memos) {
    need(memos, "a repeated question needs the memory of a device: let client.survey load the survey");
    return this.instant.draw(source, memos[code].code);
  }
}
