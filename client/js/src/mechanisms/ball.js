/**
 * Sampled Hamming ball: report some of the options, chosen by lot; reports near the truth weigh E, the others 1.
 *
 * Near: on the options that were asked, at least `agree` of the reported ticks are the true ones. Epsilon is that of
 * the whole answer. No branch depends on the coin or the answer: the patterns of both sides are made.
 */
import { need } from "../errors.js";
import { choose } from "../randomness.js";
import { THRESHOLD } from "./design.js";
import { Ticks } from "./domains.js";
import { timesBeside, timesOf } from "./sentence.js";
import { TwoWeights } from "./two_weights.js";

/** @import { ByteSource, DesignParameters, Sentence } from "../types.js" */

export class Ball extends TwoWeights {
  static NAME = "ball";
  static bounds = { options: [1, 258], asked: [1, 32], agree: [1, 32], threshold: THRESHOLD };

  /** @param {DesignParameters<"options" | "asked" | "agree" | "threshold">} parameters */
  constructor(parameters) {
    const { options, asked, agree } = parameters;
    need(agree <= asked && asked <= options);
    let inside = 0;
    for (let flips = 0; flips <= asked - agree; flips += 1) inside += binomial(asked, flips);
    super(parameters, inside, 2 ** asked - inside, new Ticks(options), 16n ** BigInt(options) - 1n);
  }

  /** @param {ByteSource} source @param {readonly number[]} ticks 1 for each option that is ticked */
  sample(source, ticks) {
    const { options, asked, inside } = this;
    const places = choose(source, options, asked).sort((a, b) => a - b);
    const { keep, near, far } = this.toss(source);
    const nearFlips = patternOf(asked, near);
    const farFlips = patternOf(asked, inside + far);
    const report = [...this.blank];
    for (const [i, place] of places.entries()) {
      report[place] = `${ticks[place] ^ (keep * nearFlips[i] + (1 - keep) * farFlips[i])}`;
    }
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

/** @param {number} n @param {number} k */
function binomial(n, k) {
  let count = 1;
  for (let i = 0; i < k; i += 1) count = (count * (n - i)) / (i + 1);
  return count;
}

/**
 * Return the pattern of flips with this rank: fewer flips come first; of the same number, those at the first places.
 * @param {number} size @param {number} rank
 */
export function patternOf(size, rank) {
  let [rest, flips] = [rank, 0];
  for (; rest >= binomial(size, flips); flips += 1) rest -= binomial(size, flips);
  /** @type {number[]} */
  const pattern = [];
  for (let place = size - 1; place >= 0; place -= 1) {
    const flip = Number(rest >= binomial(place, flips));
    pattern.unshift(flip);
    rest -= flip * binomial(place, flips);
    flips -= flip;
  }
  return pattern;
}
