/**
 * Sampled Hamming ball: report some of the options, chosen by lot; reports near the truth weigh E, the others 1.
 *
 * Near: on the options that were asked, at least `agree` of the reported ticks are the true ones. Epsilon is that of
 * the whole answer. No branch depends on the coin or the answer.
 */
import { need } from "../errors.js";
import { choose } from "../randomness.js";
import { THRESHOLD } from "./design.js";
import { Ticks } from "./domains.js";
import { timesBeside, timesOf } from "./sentence.js";
import { binomial } from "./sets.js";
import { TwoWeights } from "./two_weights.js";

/** @import { ByteSource, DesignParameters, Sentence } from "../types.js" */

export class Ball extends TwoWeights {
  static NAME = "ball";
  static bounds = { options: [1, 258], asked: [1, 32], agree: [1, 32], threshold: THRESHOLD };

  /** @param {DesignParameters<"options" | "asked" | "agree" | "threshold">} parameters */
  constructor({ options, asked, agree, threshold }) {
    need(agree <= asked && asked <= options);
    let inside = 0;
    for (let flips = 0; flips <= asked - agree; flips += 1) inside += patterns(asked, flips);
    super(threshold, inside, 2 ** asked - inside, new Ticks(options), 16n ** BigInt(options) - 1n);
    this.options = options;
    this.asked = asked;
    this.agree = agree;
  }

  /** @param {ByteSource} source @param {readonly number[]} ticks 1 for each option that is ticked */
  sample(source, ticks) {
    const { options, asked, inside } = this;
    const places = choose(source, options, asked).sort((a, b) => a - b);
    const { keep, near, far } = this.toss(source);
    const flips = patternOf(asked, keep * near + (1 - keep) * (inside + far));
    const report = [...this.blank];
    for (const [i, place] of places.entries()) report[place] = `${ticks[place] ^ flips[i]}`;
    return report.join("");
  }

  /** @param {string} draw @param {number} place */
  names(draw, place) {
    return draw[place] === "1";
  }

  /** @returns {Sentence} */
  oddsSentence() {
    const { options, asked, agree, inside, threshold } = this;
    const some = { key: asked === options ? "some_each" : "some_chosen", values: { asked, options } };
    if (asked === 1) return { key: "odds_one", times: timesOf(threshold), phrases: { some } };
    const all = { key: asked === 2 ? "enough_both" : "enough_all", values: { asked } };
    const enough = agree < asked ? { key: "enough_some", values: { agree } } : all;
    return { key: "odds_some", times: timesBeside(threshold, inside, 2 ** asked), phrases: { some, enough } };
  }

  sentSentence() {
    const { options, asked } = this;
    return { key: asked < options ? "sent_chosen" : "sent_all", values: { options } };
  }
}

/** Return the number of patterns with as many flips. @param {number} size @param {number} flips */
function patterns(size, flips) {
  return Number(binomial(size, flips));
}

/**
 * Return the pattern of flips with this rank: fewer flips come first; of the same number, those at the first places.
 * @param {number} size @param {number} rank
 */
export function patternOf(size, rank) {
  let [rest, flips] = [rank, 0];
  for (; rest >= patterns(size, flips); flips += 1) rest -= patterns(size, flips);
  /** @type {number[]} */
  const pattern = [];
  for (let place = size - 1; place >= 0; place -= 1) {
    const flip = Number(rest >= patterns(place, flips));
    pattern.unshift(flip);
    rest -= flip * patterns(place, flips);
    flips -= flip;
  }
  return pattern;
}
