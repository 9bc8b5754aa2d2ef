/**
 * Warner's randomized response (1965): the report is the answer with probability p = threshold / 2^64, else its opposite.
 *
 * Privacy: epsilon = |ln(p/(1−p))|. Proof, variance and references: docs/mechanisms/warner.md.
 */
import { Epsilon } from "./epsilon.js";
import { need } from "./errors.js";
import { isObject } from "./json.js";
import { bernoulli, SPAN } from "./randomness.js";

export class Warner {
  /** What an answer looks like. */
  wants = "true or false";

  /** @param {bigint} threshold */
  constructor(threshold) {
    const fits = threshold > 0n && threshold < SPAN && 2n * threshold !== SPAN;
    need(fits, "p must be between 0 and 1 and not 1/2: else the report says all or nothing");
    // gcd(t, 2^64 − t) is the lowest set bit of t.
    const common = threshold & -threshold;
    const yes = threshold / common;
    const no = (SPAN - threshold) / common;
    const [large, small] = yes > no ? [yes, no] : [no, yes];
    this.threshold = threshold;
    /** The worst ratio of the probabilities of one report under two answers. */
    this.odds = `${large}:${small}`;
    this.epsilon = Epsilon.ofOdds(large, small);
    /** How often in 100 the report is the answer. */
    this.timesIn100 = Number((200n * threshold + SPAN) / (2n * SPAN));
    Object.freeze(this);
  }

  /** Read the design of a manifest; refuse claims that the threshold does not bear out. @param {unknown} fields */
  static read(fields) {
    need(isObject(fields) && fields.name === "warner", "a yes/no question needs the mechanism warner");
    const { threshold, odds, epsilon } = fields;
    const isWhole = typeof threshold === "string" && /^[1-9]\d{0,19}$/.test(threshold);
    need(isWhole, "a threshold must be a whole number written as a text");
    const design = new Warner(BigInt(threshold));
    const isExact = odds === design.odds && Object.keys(fields).length === 4;
    const isHonest = isExact && !design.epsilon.exceeds(Epsilon.parse(epsilon));
    need(isHonest, "a mechanism claims odds or an epsilon that its threshold does not bear out");
    return design;
  }

  /** Give 1 for yes, 0 for no, nothing for what is no answer. @param {unknown} answer */
  encode(answer) {
    return typeof answer === "boolean" ? Number(answer) : undefined;
  }

  /** Draw the report: eight bytes, no branch. @param {import("./types.js").ByteSource} source @param {number} code */
  draw(source, code) {
    return code ^ 1 ^ bernoulli(source, this.threshold);
  }
}
