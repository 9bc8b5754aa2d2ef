/**
 * Padding and sampling: one of at most `most` ticked options, chosen by lot, reported by subset selection.
 *
 * An answer with fewer ticks is filled up with dummies, so that every answer has `most` to choose from. A report holds
 * at most min(picks, most) of them: odds = 1 + (inner odds − 1) · min(picks, most) / most, for the whole answer.
 */
import { checkThreshold, Design, need, readFields, SPAN } from "../core.js";
import { uniform } from "../uniform.js";
import { Subset } from "./subset.js";
import { checkSize } from "./wire.js";

/** @import { ByteSource } from "../types.js" */

const MOST_OPTIONS = 258;

export class Padded extends Design {
  /** @param {number} options @param {number} most @param {number} picks @param {bigint} threshold */
  constructor(options, most, picks, threshold) {
    need(most <= options && picks <= options, "an answer cannot hold more than all options");
    const inner = new Subset(options + most, picks, threshold);
    const inside = threshold * BigInt(options + most - picks);
    const outside = (SPAN - threshold) * BigInt(picks);
    const [held, slots] = [BigInt(Math.min(picks, most)), BigInt(most)];
    super(outside * slots + (inside - outside) * held, outside * slots);
    this.options = options;
    this.most = most;
    this.inner = inner;
    Object.freeze(this);
  }

  /** @param {unknown} fields */
  static read(fields) {
    const { options, most, picks, threshold, ...claims } = readFields(fields, "padded", "options,most,picks,threshold");
    const sizes = [
      checkSize(options, 2, MOST_OPTIONS),
      ...[most, picks].map((size) => checkSize(size, 1, MOST_OPTIONS)),
    ];
    return new Padded(sizes[0], sizes[1], sizes[2], checkThreshold(threshold)).check(claims);
  }

  get blank() {
    return this.inner.blank;
  }

  /** @param {ByteSource} source @param {readonly number[]} ticks 1 for each option that is ticked, else 0 */
  draw(source, ticks) {
    const slot = Number(uniform(source, BigInt(this.most)));
    const ticked = ticks.flatMap((tick, option) => (tick ? [option] : []));
    const filled = Array.from({ length: this.most }, (_, i) => ticked[i] ?? this.options + i);
    return this.inner.draw(source, filled[slot]);
  }
}
