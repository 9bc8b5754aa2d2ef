/**
 * What a mechanism randomizes: categories, ticks, or numbers beside extras.
 *
 * A type of question has a domain, its possible answers; a design has one, the codes that it has odds for. They must
 * fit. A code outside the domain would have no odds and send the answer in clear, so every draw refuses it first.
 */
import { isWhole } from "../checks.js";

/** @import { Code, Domain } from "../types.js" */

/** Answers of which exactly one is true: their codes are 0 … size − 1. @implements {Domain} */
export class Categories {
  /** @param {number} size */
  constructor(size) {
    this.size = size;
  }

  /** @param {Code} code */
  holds(code) {
    return isWhole(code, 0, this.size - 1);
  }

  /** @param {Domain} other @returns {boolean} */
  covers(other) {
    return other instanceof Categories && other.size === this.size;
  }
}

/**
 * Options that can be ticked, `most` of them at once, null for any number: a code has a 0 or 1 for each.
 * @implements {Domain}
 */
export class Ticks {
  /** @param {number} options @param {number | null} [most] */
  constructor(options, most = null) {
    this.options = options;
    this.most = most;
  }

  /** @param {Code} code */
  holds(code) {
    const areTicks = Array.isArray(code) && [...code].every((tick) => isWhole(tick, 0, 1));
    return areTicks && code.length === this.options && code.filter(Boolean).length <= (this.most ?? this.options);
  }

  /** @param {Domain} other @returns {boolean} */
  covers(other) {
    return other instanceof Ticks && other.options === this.options && (this.most ?? other.most) === other.most;
  }
}

/**
 * Numbers in a range, reported for the mean or the distribution: a code is a share of the range, or the place of an
 * extra.
 *
 * `points` is how many numbers can be answered, or have a row of their own in a table; null if that does not matter.
 * @implements {Domain}
 */
export class Numbers {
  /** @param {string} report @param {number} extras @param {number | null} [points] */
  constructor(report, extras, points = null) {
    this.report = report;
    this.extras = extras;
    this.points = points;
  }

  /** @param {Code} code */
  holds(code) {
    if (typeof code === "number") return isWhole(code, 0, this.extras - 1);
    const { top, bottom } = Object(code);
    return top >= 0n && top <= bottom && bottom > 0n;
  }

  /** @param {Domain} other @returns {boolean} */
  covers(other) {
    const isSame = other instanceof Numbers && other.report === this.report && other.extras === this.extras;
    return isSame && (this.points ?? other.points) === (other.points ?? this.points);
  }
}
