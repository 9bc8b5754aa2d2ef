/** Questions with any number of answers out of several options, or up to a limit. */
import { isWhole } from "../checks.js";
import { need } from "../errors.js";
import { Ticks } from "../mechanisms/domains.js";
import { idOf, readOptions } from "./options.js";
import { Question } from "./question.js";

/** @import { Domain, Fields } from "../types.js" */

const MOST_TICKABLE = 256;

export class MultiChoice extends Question {
  static NAME = "multi_choice";
  static fields = ["options", "most", "extras"];

  /** @param {Fields} fields */
  constructor(fields) {
    super(fields);
    const { most } = fields;
    this.options = readOptions(fields.options, MOST_TICKABLE);
    this.answers = [...this.options.map(idOf), ...this.extras];
    need(most === null || isWhole(most, 1, this.options.length));
    // No answer may be listed twice.
    need(new Set(this.answers).size === this.answers.length);
    /** @type {Domain} */
    this.domain = new Ticks(this.answers.length, most);
  }

  /** Return a 1 or 0 for each option and extra; undefined if it is not an answer. @param {unknown} answer */
  code(answer) {
    // Options come in a list, an extra alone.
    /** @type {readonly unknown[]} */
    const known = Array.isArray(answer) ? this.options.map(idOf) : this.extras;
    const chosen = [answer].flat();
    const areKnown = chosen.every((each) => known.includes(each)) && new Set(chosen).size === chosen.length;
    const ticks = this.answers.map((each) => Number(chosen.includes(each)));
    return areKnown && chosen.length <= (this.most ?? chosen.length) ? ticks : undefined;
  }

  answersToTry() {
    return [[], ...this.options.map(({ id }) => [id]), ...this.extras];
  }
}
