/** Warner: send the answer with probability p = threshold / 2^64, else its opposite. Epsilon = |ln(p/(1-p))|. */
import { bernoulli, Epsilon, isObject, need, SPAN } from "./core.js";

export class Warner {
  wants = "true or false";

  /** @param {bigint} threshold */
  constructor(threshold) {
    need(threshold > 0n && threshold < SPAN && 2n * threshold !== SPAN, "p must not be 0, 1/2 or 1");
    // gcd(t, 2^64 - t) is the lowest bit of t.
    const common = threshold & -threshold;
    const yes = threshold / common;
    const no = (SPAN - threshold) / common;
    const [large, small] = yes > no ? [yes, no] : [no, yes];
    this.threshold = threshold;
    this.odds = `${large}:${small}`;
    this.epsilon = Epsilon.ofOdds(large, small);
    this.timesIn100 = Number((200n * threshold + SPAN) / (2n * SPAN));
    Object.freeze(this);
  }

  /** Refuse claims that the threshold does not bear out. @param {unknown} fields */
  static read(fields) {
    need(isObject(fields) && fields.name === "warner", "a yes/no question needs the mechanism warner");
    const { threshold, odds, epsilon } = fields;
    need(typeof threshold === "string" && /^[1-9]\d{0,19}$/.test(threshold), "a threshold is a whole number");
    const design = new Warner(BigInt(threshold));
    const isHonest = odds === design.odds && !design.epsilon.exceeds(Epsilon.parse(epsilon));
    need(isHonest && Object.keys(fields).length === 4, "a threshold does not bear out the claims");
    return design;
  }

  /** @param {unknown} answer */
  encode(answer) {
    return typeof answer === "boolean" ? Number(answer) : undefined;
  }

  /** @type {T.Draw} */
  draw(source, code) {
    return code ^ 1 ^ bernoulli(source, this.threshold);
  }
}
