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
import { isInSet, lastSet, writeSet } from "./sets.js";
import { isAtLeast, TwoWeights } from "./two_weights.js";

/** @import { ByteSource, DesignParameters, Sentence } from "../types.js" */

export class Subset extends TwoWeights {
  static NAME = "subset";
  static bounds = { size: [2, 2048], picks: [1, 2048], threshold: THRESHOLD };

  /** @param {DesignParameters<"size" | "picks" | "threshold">} parameters */
  constructor({ size, picks, threshold }) {
    super(threshold, picks, size - picks, new Categories(size), lastSet(size, picks));
    this.size = size;
    this.picks = picks;
  }

  /** @param {ByteSource} source @param {number} code */
  sample(source, code) {
    return writeSet(this, this.drawMembers(source, code));
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
    return isInSet(this, draw, place);
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
