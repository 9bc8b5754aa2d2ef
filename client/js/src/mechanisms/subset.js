/**
 * Subset selection: report a set of `picks` of the `size` categories; sets that contain the truth weigh E, the others
 * 1.
 *
 * With one pick it is k-ary randomized response, with one of two categories Warner's design. No branch depends on the
 * coin or the answer.
 */
import { bernoulli, choose } from "../randomness.js";
import { THRESHOLD } from "./design.js";
import { Categories } from "./domains.js";
import { restOf, timesBeside, timesOf } from "./sentence.js";
import { isAtLeast, TwoWeights } from "./two_weights.js";

/** @import { ByteSource, DesignParameters, Sentence } from "../types.js" */

export class Subset extends TwoWeights {
  static NAME = "subset";
  static bounds = { size: [2, 2048], picks: [1, 2048], threshold: THRESHOLD };

  /** @param {DesignParameters<"size" | "picks" | "threshold">} parameters */
  constructor(parameters) {
    const { size, picks } = parameters;
    // A set is a mask of whole bytes.
    const last = picks === 1 ? size - 1 : 256n ** BigInt(Math.ceil(size / 8)) - 1n;
    super(parameters, picks, size - picks, new Categories(size), last);
  }

  /** @param {ByteSource} source @param {number} code */
  sample(source, code) {
    const members = this.drawMembers(source, code);
    if (this.picks === 1) return this.write(members[0]);
    // The first category is the highest bit of the mask.
    const highest = this.blank.length * 4 - 1;
    return this.write(members.reduce((mask, member) => mask + 2n ** BigInt(highest - member), 0n));
  }

  /** Draw the members of the set. @param {ByteSource} source @param {number} code */
  drawMembers(source, code) {
    const keep = bernoulli(source, this.threshold);
    // The others are numbered without the truth; the last of them gives way to it.
    const members = choose(source, this.size - 1, this.picks).map((other) => other + isAtLeast(other, code));
    members.push((1 - keep) * Number(members.pop()) + keep * code);
    return members;
  }

  /** @param {string} draw @param {number} place */
  names(draw, place) {
    return this.picks === 1 && Number.parseInt(draw, 16) === place;
  }

  /** @returns {Sentence} */
  oddsSentence() {
    const { size, picks, threshold } = this;
    if (picks === 1) return { key: "odds_one", times: timesOf(threshold), phrases: { rest: restOf(size) } };
    return { key: "odds_set", values: { picks, size }, times: timesBeside(threshold, picks, size) };
  }

  /** @param {string} type of the question @returns {Sentence} */
  sentSentence(type) {
    const { size, picks } = this;
    if (type === "yes_no" && size === 2) return { key: "sent_bit" };
    if (picks === 1) return { key: "sent_one", values: { size } };
    return { key: "sent_set", values: { picks, size } };
  }
}
