/**
 * Padding and sampling: one of at most `most` ticked options, chosen by lot, reported by subset selection.
 *
 * An answer with fewer ticks is filled up with blanks, so that every answer has `most` to choose from. A report holds
 * at most min(picks, most) of them: odds = 1 + (inner odds − 1) · min(picks, most) / most, for the whole answer.
 */
import { need } from "../errors.js";
import { uniform } from "../randomness.js";
import { Design, THRESHOLD } from "./design.js";
import { Ticks } from "./domains.js";
import { Subset } from "./subset.js";

/** @import { ByteSource, DesignParameters } from "../types.js" */

export class Padded extends Design {
  static NAME = "padded";
  static bounds = { options: [2, 258], most: [1, 258], picks: [1, 258], threshold: THRESHOLD };

  /** @param {DesignParameters<"options" | "most" | "picks" | "threshold">} parameters */
  constructor(parameters) {
    const { options, most, picks, threshold } = parameters;
    need(most <= options && picks <= options);
    const inner = new Subset({ size: options + most, picks, threshold });
    const [inside, outside] = inner.weights;
    const low = outside * BigInt(most);
    const high = low + (inside - outside) * BigInt(Math.min(picks, most));
    super(parameters, [high, low], new Ticks(options, most), inner.last);
    /** Reports one option of the padded answer. */
    this.inner = inner;
  }

  /** @param {ByteSource} source @param {readonly number[]} ticks 1 for each option that is ticked */
  sample(source, ticks) {
    const slot = Number(uniform(source, this.most));
    const ticked = [...ticks.keys()].filter((option) => ticks[option]);
    return this.inner.draw(source, ticked[slot] ?? this.options + slot);
  }

  oddsSentence() {
    const odds = this.inner.oddsSentence();
    return { ...odds, values: { ...odds.values, most: this.most } };
  }

  /** @param {string} type of the question */
  sentSentence(type) {
    return { ...this.inner.sentSentence(type), phrases: { answers: { key: "blanks" } } };
  }
}
