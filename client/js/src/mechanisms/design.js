/**
 * What every design has in common: integers that a manifest fixes, and the odds and the epsilon that follow from them.
 *
 * The rule here: a reader believes no claim. Odds and epsilon are computed from the integers, and a truth that is not
 * likelier than chance is refused.
 */
import { Epsilon } from "../epsilon.js";
import { need } from "../errors.js";
import { SPAN } from "../randomness.js";

/** @import { AnyDesign, Bounds, ByteSource, Code, Domain, Mechanism, Memo, Sentence } from "../types.js" */
/** @import { Subset } from "./subset.js" */

/** The bounds of a threshold over 2^64. @type {Bounds} */
export const THRESHOLD = [1n, SPAN - 1n];

export class Design {
  /**
   * The draw that a device makes once for all waves of a panel and remembers; null if the mechanism has none.
   * @type {Subset | null}
   */
  remembered = null;

  /**
   * @param {readonly bigint[]} weights the largest and the least probability of one report, up to a factor
   * @param {Domain} domain the codes that it has odds for
   * @param {number | bigint} last the last of all reports, counted from 0: it has as many digits as all draws
   */
  constructor(weights, domain, last) {
    const [a, b] = weights;
    // The truth is reported more often than by chance.
    need(a > b);
    this.weights = weights;
    this.epsilon = Epsilon.ofOdds(a, b);
    let [divisor, rest] = weights;
    while (rest) [divisor, rest] = [rest, divisor % rest];
    /** The worst ratio of the probabilities of one report under two answers, as "3:1". */
    this.odds = `${a / divisor}:${b / divisor}`;
    this.domain = domain;
    /** What stands for the draw of a question that was not asked. */
    this.blank = "-".repeat(last.toString(16).length);
    this.last = last;
  }

  /** What manifests call the mechanism. */
  get name() {
    return /** @type {Mechanism} */ (/** @type {unknown} */ (this.constructor)).NAME;
  }

  /**
   * Draw the report to a code. Neither its length nor the number of bytes taken depends on the code.
   * @this {AnyDesign}
   * @param {ByteSource} source @param {Code} code @param {readonly Memo[]} [memos] the remembered draws of all codes
   */
  draw(source, code, memos) {
    need(this.domain.holds(code), "an answer is outside its mechanism");
    return this.sample(source, code, memos);
  }

  /** Write a number as a draw. @param {number | bigint} number */
  write(number) {
    return number.toString(16).padStart(this.blank.length, "0");
  }

  /** @param {string} _type of the question @returns {Sentence} */
  sentSentence(_type) {
    return { key: "sent", values: { size: Number(this.last) + 1 } };
  }

  /** Tell whether a draw names the answer at a place. @param {string} _draw @param {number} _place */
  names(_draw, _place) {
    return false;
  }

  /**
   * Return the number that a draw stands for, from 0 at the least answer to 1 at the largest, if it stands for one.
   * @param {string} _draw @returns {number | null | undefined}
   */
  share(_draw) {
    return undefined;
  }
}

/**
 * Read a whole number within bounds; if they are bigints, so is the number.
 * @param {any} value @param {Bounds} bounds
 */
export function readInteger(value, [least, most]) {
  need(/^\d{1,20}$/.test(value));
  const number = BigInt(value);
  need(number >= least && number <= most);
  return typeof least === "bigint" ? number : Number(number);
}
