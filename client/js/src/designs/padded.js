/**
 * @file Padding and sampling: one of at most `most` ticked options, chosen by lot, reported by subset selection.
 *
 * An answer with fewer ticks is filled up with dummies, so that every answer has `most` to choose from. A report holds
 * at most min(picks, most) of them: odds = 1 + (inner odds − 1) · min(picks, most) / most, for the whole answer.
 */
import { isTicks } from "../domains.js";
import { Design } from "../epsilon.js";
import { uniform } from "../randomness.js";
import { Subset } from "./subset.js";
import { THRESHOLD } from "./two_weights.js";

export class Padded extends Design {
  static bounds = { options: [2, 258], most: [1, 258], picks: [1, 258], threshold: THRESHOLD };

  /** @param {T.Some<"options" | "most" | "picks" | "threshold">} fields */
  constructor(fields) {
    const { options, most, picks, threshold } = fields;
    const inner = new Subset({ size: options + most, picks, threshold });
    const [inside, outside] = inner.weights;
    const least = outside * BigInt(most);
    super(fields, least + (inside - outside) * BigInt(Math.min(picks, most)), least, inner.last);
    this.inner = inner;
  }

  /** @param {T.Code} code */
  holds(code) {
    return isTicks(code, this.options, this.most);
  }

  /** @param {T.ByteSource} source @param {readonly number[]} ticks 1 for each that is ticked */
  sample(source, ticks) {
    const slot = Number(uniform(source, this.most));
    const ticked = [...ticks.keys()].filter((option) => ticks[option]);
    return this.inner.draw(source, ticked[slot] ?? this.options + slot);
  }
}
