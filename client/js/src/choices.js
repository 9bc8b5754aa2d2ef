/**
 * Questions of which exactly one answer is true: yes/no, one of several options, a point of a scale.
 *
 * The law here: everything that somebody could answer, "prefer not to say" and "does not apply" included, is inside the
 * domain that the mechanism randomizes. `code` gives the place of an answer in it, or undefined for what is no answer.
 */
import { checkName, checkText } from "./core.js";
import { checkSize } from "./designs/wire.js";
import { placesOf, readExtras, readLabels, readOptions, readReport } from "./lists.js";

/** @import { Code, Design, Fields, Part } from "./types.js" */

const CATEGORICAL = ["subset", "projective", "repeated"];
const MOST_OPTIONS = 100_000;
const MOST_POINTS = 1001;
const LARGEST_POINT = 1e9;

/** What all types have in common. */
export class Question {
  /** @param {Fields} fields @param {Design} design */
  constructor({ mechanism, ...fields }, design) {
    const { id, text, type, extras = [] } = fields;
    this.id = checkName(id);
    this.text = checkText(text);
    this.type = String(type);
    this.extras = readExtras(extras);
    this.design = design;
    // What permanent draws belong to: with another text or other options it is another question.
    this.spelling = JSON.stringify(fields);
  }

  /** Say what an app must answer with. */
  get wants() {
    const extras = this.extras.map((extra) => (extra === "decline" ? "null" : `"${extra}"`));
    return [this.answers, ...extras].join(", or ");
  }

  /** @type {Part["code"]} */
  code(answer) {
    const extra = this.extras.indexOf(/** @type {string} */ (answer ?? "decline"));
    return extra < 0 ? this.codeOf(answer) : this.codeOfExtra(extra);
  }

  /** Give the ids that no other question may have. */
  get ids() {
    return [this.id];
  }

  // Each type has its own of the following.

  get answers() {
    return "";
  }

  /** Give the code of what is none of the extras. @param {unknown} _answer @returns {Code | undefined} */
  codeOf(_answer) {
    return undefined;
  }

  /** @param {number} extra @returns {Code} */
  codeOfExtra(extra) {
    return extra;
  }

  /** Tell whether the design, of this name, is for these answers. @param {string} _name */
  fits(_name) {
    return false;
  }
}

/** A type whose answers exclude each other: `size` of them, the extras last. */
export class Choice extends Question {
  get size() {
    return this.extras.length;
  }

  /** @param {number} extra */
  codeOfExtra(extra) {
    return this.size - this.extras.length + extra;
  }

  /** @param {string} name */
  fits(name) {
    return CATEGORICAL.includes(name) && this.design.size === this.size;
  }
}

export class YesNo extends Choice {
  static KEYS = "extras";

  get size() {
    return 2 + this.extras.length;
  }

  get answers() {
    return "true or false";
  }

  /** @param {unknown} answer */
  codeOf(answer) {
    return typeof answer === "boolean" ? Number(answer) : undefined;
  }

  /** @param {string} name */
  fits(name) {
    return super.fits(name) || (name === "warner" && this.size === 2);
  }
}

export class SingleChoice extends Choice {
  static KEYS = "options,extras";
  #places;

  /** @param {Fields} fields @param {Design} design */
  constructor(fields, design) {
    super(fields, design);
    this.options = readOptions(fields.options, MOST_OPTIONS);
    this.#places = placesOf(this.options);
  }

  get size() {
    return this.options.length + this.extras.length;
  }

  get answers() {
    return "the id of an option";
  }

  /** @param {unknown} answer */
  codeOf(answer) {
    return this.#places.get(answer);
  }
}

export class Scale extends Choice {
  static KEYS = "min,max,labels,report,extras";

  /** @param {Fields} fields @param {Design} design */
  constructor(fields, design) {
    super(fields, design);
    this.min = checkSize(fields.min, -LARGEST_POINT, LARGEST_POINT);
    this.max = checkSize(fields.max, this.min + 1, this.min + MOST_POINTS - 1);
    this.labels = readLabels(fields.labels, this.min, this.max);
    this.report = readReport(fields.report, ["shares", "mean"]);
  }

  get points() {
    return this.max - this.min + 1;
  }

  get size() {
    return this.points + this.extras.length;
  }

  get answers() {
    return `a whole number from ${this.min} to ${this.max}`;
  }

  /** @param {number} extra */
  codeOfExtra(extra) {
    return this.report === "shares" ? super.codeOfExtra(extra) : extra;
  }

  /** @param {unknown} answer */
  codeOf(answer) {
    const point = Number.isInteger(answer) ? Number(answer) - this.min : -1;
    if (point < 0 || point >= this.points) return undefined;
    return this.report === "shares" ? point : { top: BigInt(point), bottom: BigInt(this.points - 1) };
  }

  /** @param {string} name */
  fits(name) {
    if (this.report === "shares") return super.fits(name);
    const isKnown = name === "laplace" || (name === "channel" && this.design.inputs === this.points);
    return isKnown && (this.design.extras ?? 0) === this.extras.length;
  }
}
