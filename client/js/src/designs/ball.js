/**
 * @file Sampled Hamming ball: report some of the options, chosen by lot; reports near the truth weigh E, the others 1.
 *
 * Near: on the options that were asked, at least `agree` of the reported ticks are the true ones. Epsilon is that of
 * the whole answer. No branch depends on the coin or the answer: the patterns of both sides are made.
 */
import { isTicks } from "../domains.js";
import { need } from "../errors.js";
import { choose } from "../randomness.js";
import { THRESHOLD, TwoWeights } from "./two_weights.js";

export class Ball extends TwoWeights {
  static bounds = { options: [1, 258], asked: [1, 32], agree: [1, 32], threshold: THRESHOLD };

  /** @param {T.Some<"options" | "asked" | "agree" | "threshold">} fields */
  constructor(fields) {
    const { options, asked, agree } = fields;
    need(agree <= asked && asked <= options);
    let inside = 0;
    for (let flips = 0; flips <= asked - agree; flips += 1) inside += binomial(asked, flips);
    super(fields, inside, 2 ** asked - inside, 16n ** BigInt(options) - 1n);
  }

  /** @param {T.Code} code */
  holds(code) {
    return isTicks(code, this.options);
  }

  /** @param {T.ByteSource} source @param {readonly number[]} ticks 1 for each that is ticked */
  sample(source, ticks) {
    const { options, asked, inside } = this;
    const places = choose(source, options, asked).sort((a, b) => a - b);
    const [keep, near, far] = this.toss(source);
    const kept = patternOf(asked, near);
    const other = patternOf(asked, inside + far);
    const report = [...this.blank];
    for (const [i, place] of places.entries()) {
      report[place] = `${ticks[place] ^ (keep * kept[i] + (1 - keep) * other[i])}`;
    }
    return report.join("");
  }
}

/** @param {number} n @param {number} k */
function binomial(n, k) {
  let count = 1;
  for (let i = 0; i < k; i += 1) count = (count * (n - i)) / (i + 1);
  return count;
}

/** Give the flips of a rank: fewer come first; of the same number, those at the first places. @param {number} size @param {number} rank */
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
