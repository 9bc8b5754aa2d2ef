/**
 * @file What all questions have in common, and those of which exactly one answer is true.
 *
 * The law here: everything that somebody could answer, "prefer not to say" and "does not apply" included, is inside the
 * domain that the mechanism randomizes. `code` gives the place of an answer in it, or undefined for what is no answer.
 */
import { readDesign } from "./designs/index.js";
import { need } from "./errors.js";
import { isText } from "./texts.js";

export class Question {
  /** @param {T.Fields} fields */
  constructor({ mechanism, when = null, ...fields }) {
    /** @remarks Nothing else gets in: no field of a manifest takes the place of a method, or of what a type counts. */
    const { id, text, type, min, max, most = null, report, extras = [], options = [], labels = [] } = fields;
    Object.assign(this, { id, text, type, min, max, most, report, extras, when });
    /** @type {{ id: string, text: string }[]} */
    this.options = options.map((/** @type {any} */ option) => [option].flat()).map(nameOption);
    /** @type {{ point: number, text: string }[]} */
    this.labels = labels.map((/** @type {any[]} */ [point, name]) => ({ point, text: name }));
    this.spelling = JSON.stringify(fields);
    this.design = mechanism && readDesign(mechanism);
    /** @type {unknown[]} */
    this.answers = [...choicesFor(fields, this.options), ...extras];
    const isKnown = this.extras.every((extra) => ["decline", "does_not_apply"].includes(extra));
    need(isKnown && [id, ...this.options.map(idOf)].every(isText), "an answer is unknown");
    need(new Set(this.answers).size === this.answers.length, "two answers are one");
  }

  /** @param {(part: any) => T.Code} codeOf @returns {T.Code} */
  encode(codeOf) {
    return codeOf(this);
  }
}

/** @param {{ id: string }} option */
function idOf({ id }) {
  return id;
}

/** @param {any[]} option an id and a text, or a text that is its own id */
function nameOption([id, text = id]) {
  return { id, text };
}

/** @param {T.Fields} fields @param {readonly { id: string }[]} options @returns {unknown[]} */
function choicesFor({ type, min, max }, options) {
  if (type === "yes_no") return [false, true];
  if (type !== "scale") return options.map(idOf);
  need(Number.isInteger(min) && max - min <= 1000, "an answer is unknown");
  return Array.from({ length: max - min + 1 }, (_, i) => min + i);
}

export class Choice extends Question {
  /** @type {Map<unknown, number>} */
  #places;

  /** @param {T.Fields} fields */
  constructor(fields) {
    super(fields);
    this.#places = new Map(this.answers.map((answer, place) => [answer, place]));
    this.size = this.answers.length;
  }

  /** @param {unknown} answer */
  code(answer) {
    return this.#places.get(answer);
  }

  /** @remarks The answers, one after the other, are the whole domain. @param {{ size?: number }} design */
  fits({ size }) {
    return size === this.size && this.answers.every((answer, place) => this.code(answer) === place);
  }
}
