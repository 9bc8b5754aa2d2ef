/**
 * Warner's randomized response (1965) for a yes/no question.
 *
 * The report is the answer with probability p = threshold / 2^64, the opposite answer otherwise.
 *
 * Privacy: P(report | yes) / P(report | no) is p/(1−p) or its inverse, so epsilon = |ln(p/(1−p))|.
 * Proof, variance and references: docs/mechanisms/warner.md.
 */
import { Epsilon } from "./epsilon.js";
import { InvalidValue } from "./errors.js";
import { bernoulli, SPAN } from "./randomness.js";
import { isObject } from "./strict-json.js";

const KEYS = "epsilon,name,odds,threshold";

/** Warner's design: the report is the answer when a 64-bit draw is below the threshold. */
export class Warner {
  /** @param {bigint} threshold */
  constructor(threshold) {
    if (threshold < 1n || threshold >= SPAN) {
      throw new InvalidValue("p must be above 0 and below 1: otherwise the report reveals the answer");
    }
    if (2n * threshold === SPAN) {
      throw new InvalidValue("p must not be 1/2 (epsilon must not be 0): the report would say nothing");
    }
    const [small, large] = sides(threshold);
    this.threshold = threshold;
    /** The exact worst ratio of the probabilities of one report under two answers. */
    this.odds = `${large}:${small}`;
    this.epsilon = Epsilon.ofOdds(large, small);
    /** How often in 100 the report is the answer, to the nearest whole number. */
    this.timesIn100 = Number((200n * threshold + SPAN) / (2n * SPAN));
    Object.freeze(this);
  }

  /**
   * Read the design from a manifest; refuse claims that the threshold does not bear out.
   * @param {unknown} fields
   */
  static read(fields) {
    if (!isObject(fields) || fields.name !== "warner") {
      throw new InvalidValue("a yes/no question needs the mechanism warner");
    }
    const design = new Warner(readThreshold(fields.threshold));
    if (Object.keys(fields).sort().join() !== KEYS || fields.odds !== design.odds) {
      throw new InvalidValue("a mechanism claims odds that its threshold does not bear out");
    }
    if (design.epsilon.exceeds(Epsilon.parse(fields.epsilon))) {
      throw new InvalidValue("a mechanism claims a smaller epsilon than its threshold gives");
    }
    return design;
  }

  /** What an answer looks like, for error messages. */
  get wants() {
    return "true or false";
  }

  /**
   * Give the code of an answer (1 is yes, 0 is no), or nothing for what is no answer.
   * @param {unknown} answer
   */
  encode(answer) {
    return typeof answer === "boolean" ? Number(answer) : undefined;
  }

  /**
   * Draw the report of an encoded answer: eight bytes, no branch.
   * @param {import("./randomness.js").ByteSource} source @param {number} code
   */
  draw(source, code) {
    return code ^ 1 ^ bernoulli(source, this.threshold);
  }
}

/** @param {bigint} threshold @returns {[bigint, bigint]} the two sides of the odds, reduced, the smaller first */
function sides(threshold) {
  // gcd(t, 2^64 − t) is a power of two: the lowest set bit of t.
  const common = threshold & -threshold;
  const [yes, no] = [threshold / common, (SPAN - threshold) / common];
  return yes < no ? [yes, no] : [no, yes];
}

/** @param {unknown} value */
function readThreshold(value) {
  if (typeof value !== "string" || !/^[1-9]\d{0,19}$/.test(value)) {
    throw new InvalidValue("a threshold must be a whole number written as a text");
  }
  return BigInt(value);
}
