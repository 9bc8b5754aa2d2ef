/**
 * Sampled Hamming ball: report some of the options, chosen by lot; reports near the truth weigh E, the others 1.
 *
 * Near: on the options that were asked, at least `agree` of the reported ticks are the true ones. Epsilon is that of
 * the whole answer. No branch depends on the coin or the answer.
 */
import { bernoulli, checkThreshold, need, readFields } from "../core.js";
import { choose, uniform } from "../uniform.js";
import { TwoWeights } from "./two_weights.js";
import { checkSize } from "./wire.js";

/** @import { ByteSource } from "../types.js" */

const MOST_OPTIONS = 258;
const MOST_ASKED = 32;

export class Ball extends TwoWeights {
  /** @param {number} options @param {number} asked @param {number} agree @param {bigint} threshold */
  constructor(options, asked, agree, threshold) {
    need(agree <= asked && asked <= options, "a ball cannot agree on more options than it asks");
    // Agreeing on a options is not to flip the other asked − a.
    const sizes = countFlips(asked);
    const inside = sum(sizes.slice(0, asked - agree + 1));
    super(threshold, inside, sum(sizes) - inside);
    this.options = options;
    this.asked = asked;
    this.agree = agree;
    this.inside = inside;
    Object.freeze(this);
  }

  /** @param {unknown} fields */
  static read(fields) {
    const { options, asked, agree, threshold, ...claims } = readFields(fields, "ball", "options,asked,agree,threshold");
    const [most, some] = [checkSize(options, 1, MOST_OPTIONS), checkSize(asked, 1, MOST_ASKED)];
    return new Ball(most, some, checkSize(agree, 1, MOST_ASKED), checkThreshold(threshold)).check(claims);
  }

  get blank() {
    return "-".repeat(this.options);
  }

  /** @param {ByteSource} source @param {readonly number[]} ticks 1 for each option that is ticked, else 0 */
  draw(source, ticks) {
    const { options, asked, inside } = this;
    const places = choose(source, options, asked).sort((a, b) => a - b);
    const keep = bernoulli(source, this.threshold);
    const near = Number(uniform(source, BigInt(inside)));
    const far = inside + Number(uniform(source, BigInt(2 ** asked - inside)));
    const flips = patternOf(asked, keep * near + (1 - keep) * far);
    const report = Array(options).fill("-");
    for (const [i, place] of places.entries()) report[place] = ticks[place] ^ flips[i];
    return report.join("");
  }
}

/** Give C(n, 0), …, C(n, n). @param {number} n @returns {number[]} */
function countFlips(n) {
  let row = [1];
  for (let i = 0; i < n; i += 1) row = [...row, 0].map((count, j) => count + (row[j - 1] ?? 0));
  return row;
}

/** Give the pattern of a rank: fewer flips first; of the same number, by the places. @param {number} size @param {number} rank */
export function patternOf(size, rank) {
  let [rest, flips, isLess] = [rank, 0, 1];
  for (const count of countFlips(size)) {
    isLess *= Number(rest >= count);
    rest -= isLess * count;
    flips += isLess;
  }
  const pattern = Array(size).fill(0);
  for (let place = size - 1; place >= 0; place -= 1) {
    const count = countFlips(place)[flips] ?? 0;
    pattern[place] = Number(rest >= count);
    rest -= pattern[place] * count;
    flips -= pattern[place];
  }
  return pattern;
}

/** @param {readonly number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
