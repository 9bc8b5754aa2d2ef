/** What the types with exactly one true answer have in common. */
import { need } from "../errors.js";
import { Categories } from "../mechanisms/domains.js";
import { Question } from "./question.js";

/** @import { Code, Domain, Fields } from "../types.js" */

export class Choice extends Question {
  /** @type {Map<unknown, number>} */
  #places;

  /** @param {Fields} fields @param {readonly unknown[]} choices what can be answered besides the extras */
  constructor(fields, choices) {
    super(fields);
    this.answers = [...choices, ...this.extras];
    this.#places = new Map(this.answers.map((answer, place) => [answer, place]));
    // No answer may be listed twice.
    need(this.#places.size === this.answers.length);
    /** @type {Domain} */
    this.domain = new Categories(this.answers.length);
  }

  /** Return the code of an answer; undefined if there is none. @param {unknown} answer @returns {Code | undefined} */
  code(answer) {
    return this.#places.get(answer);
  }
}
