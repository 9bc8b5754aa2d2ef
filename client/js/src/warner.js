/**
 * Warner's randomized response (1965): the report is the answer with probability p = threshold / 2^64, else its opposite.
 *
 * Privacy: epsilon = |ln(p/(1−p))|. Proof, variance and references: docs/mechanisms/warner.md.
 */
import { Epsilon } from "./epsilon.js";
import { need } from "./errors.js";
import { bernoulli, SPAN } from "./randomness.js";
import { isObject } from "./strict-json.js";

export class Warner {
  /** @param {bigint} threshold */
  constructor(threshold) {
    need(threshold > 0n && threshold < SPAN, "p must be above 0 and below 1: else the report reveals the answer");
    need(2n * threshold !== SPAN, "p must not be 1/2: the report would say nothing");
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
    need(
      typeof threshold === "string" && /^[1-9]\d{0,19}$/.test(threshold),
      "a threshold must be a whole number written as a text",
    );
    const design = new Warner(BigInt(threshold));
    need(
      Object.keys(fields).length === 4 && odds === design.odds,
      "a mechanism claims odds that its threshold does not bear out",
    );
    need(
      !design.epsilon.exceeds(Epsilon.parse(epsilon)),
      "a mechanism claims a smaller epsilon than its threshold gives",
    );
    return design;
  }

  /** What an answer looks like. */
  get wants() {
    return "true or false";
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
