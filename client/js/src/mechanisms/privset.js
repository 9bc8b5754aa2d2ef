/**
 * PrivSet for few ticks out of many options: report a set of `picks` of all options and blanks; sets that contain any
 * of the answer weigh E, the others 1.
 *
 * An answer is filled up to `most` ticks with different blanks, so the number of sets that contain any of it is the
 * same for all answers. No branch depends on the coin.
 */
import { need } from "../errors.js";
import { bernoulli, choose, SPAN, uniform } from "../randomness.js";
import { Design, THRESHOLD } from "./design.js";
import { Ticks } from "./domains.js";
import { timesBeside } from "./sentence.js";
import { binomial, isInSet, lastSet, writeSet } from "./sets.js";

/** @import { ByteSource, DesignParameters } from "../types.js" */

export class PrivSet extends Design {
  static NAME = "privset";
  static bounds = { options: [2, 258], most: [1, 258], picks: [1, 258], threshold: THRESHOLD };

  /** @param {DesignParameters<"options" | "most" | "picks" | "threshold">} parameters */
  constructor({ options, most, picks, threshold }) {
    need(most <= options && picks <= options);
    const size = options + most;
    const outside = binomial(options, picks);
    const inside = binomial(size, picks) - outside;
    super([threshold * outside, (SPAN - threshold) * inside], new Ticks(options, most), lastSet(size, picks));
    this.options = options;
    this.most = most;
    this.picks = picks;
    this.threshold = threshold;
    this.size = size;
    this.inside = inside;
  }

  /** @param {ByteSource} source @param {readonly number[]} ticks 1 for each option that is ticked */
  sample(source, ticks) {
    const { options, most, picks, inside } = this;
    const keep = bernoulli(source, this.threshold);
    // How many of the answer are in a set that contains any: the sets are numbered, those with fewer first.
    let rank = uniform(source, inside);
    let hits = 1;
    for (let more = 1; more < most; more += 1) {
      rank -= binomial(most, more) * binomial(options, picks - more);
      hits += Number(rank >= 0n);
    }
    // The answer in random order, then some of the others: a set begins near the end of the answer, or behind it.
    const answer = choose(source, most, most);
    const order = [...answer, ...choose(source, options, picks).map((other) => most + other)];
    const start = most - keep * hits;
    const places = answerFirst(ticks, most);
    return writeSet(
      this,
      order.slice(start, start + picks).map((place) => places[place]),
    );
  }

  /** @param {string} draw @param {number} place */
  names(draw, place) {
    return isInSet(this, draw, place);
  }

  oddsSentence() {
    const { most, picks, size, threshold, inside } = this;
    const times = timesBeside(threshold, inside, binomial(size, picks));
    return { key: picks === 1 ? "odds_one" : "odds_set", values: { picks, size, most }, times };
  }

  sentSentence() {
    const { picks, size } = this;
    return { key: picks === 1 ? "sent_one" : "sent_set", values: { picks, size } };
  }
}

/**
 * Return all options and blanks, those of the answer first: the ticked ones, and the last blanks, which fill it up.
 * @param {readonly number[]} ticks @param {number} most
 */
function answerFirst(ticks, most) {
  const ticked = ticks.filter(Boolean).length;
  const marks = [...ticks, ...Array.from(Array(most), (_, blank) => Number(blank >= ticked))];
  return [...marks.keys()].sort((a, b) => marks[b] - marks[a]);
}
