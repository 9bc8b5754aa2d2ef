/**
 * The types of questions in manifests of format 2, and the reading of them.
 *
 * A question that exists is valid, and its mechanism is one for its answers. Those that exclude each other are in
 * choices.js.
 */

import { Choice, Question, Scale, SingleChoice, YesNo } from "./choices.js";
import { checkKeys, checkList, need } from "./core.js";
import { checkSize } from "./designs/wire.js";
import { placesOf, readOptions, readReport } from "./lists.js";
import { isBelow, placeOf, readDecimal } from "./numbers.js";

/** @import { Code, Design, Fields, Part } from "./types.js" */

const MOST_TICKABLE = 256;

export class MultiChoice extends Question {
  static KEYS = "options,most,extras";
  #places;

  /** @param {Fields} fields @param {Design} design */
  constructor(fields, design) {
    super(fields, design);
    this.options = readOptions(fields.options, MOST_TICKABLE);
    this.most = fields.most === null ? null : checkSize(fields.most, 1, this.options.length);
    this.#places = placesOf(this.options);
  }

  get answers() {
    return `a list of ${this.most === null ? "" : `at most ${this.most} `}ids of options, each once`;
  }

  /** @param {unknown} answer */
  codeOf(answer) {
    if (!Array.isArray(answer) || answer.length > (this.most ?? this.options.length)) return undefined;
    const ticked = new Set(answer.map((id) => this.#places.get(id)));
    return ticked.size < answer.length || ticked.has(undefined) ? undefined : this.#tick(ticked);
  }

  /** @param {number} extra */
  codeOfExtra(extra) {
    return this.#tick(new Set([this.options.length + extra]));
  }

  /** @param {Set<number | undefined>} ticked */
  #tick(ticked) {
    return Array.from({ length: this.options.length + this.extras.length }, (_, place) => Number(ticked.has(place)));
  }

  /** @param {string} name */
  fits(name) {
    const isForAll = this.design.options === this.options.length + this.extras.length;
    return isForAll && (name === "ball" || (name === "padded" && this.design.most === this.most));
  }
}

export class NumberQuestion extends Question {
  static KEYS = "min,max,report,extras";
  #low;
  #high;

  /** @param {Fields} fields @param {Design} design */
  constructor(fields, design) {
    super(fields, design);
    this.#low = readDecimal(fields.min);
    this.#high = readDecimal(fields.max);
    need(isBelow(this.#low, this.#high), "the max of a range must be above its min");
    this.min = String(fields.min);
    this.max = String(fields.max);
    this.report = readReport(fields.report, ["mean", "distribution"]);
  }

  get answers() {
    return "a number";
  }

  /** @param {unknown} answer */
  codeOf(answer) {
    return typeof answer === "number" && Number.isFinite(answer) ? placeOf(answer, this.#low, this.#high) : undefined;
  }

  /** @param {string} name */
  fits(name) {
    const isKnown = (this.report === "mean" ? ["channel", "laplace"] : ["wave"]).includes(name);
    return isKnown && (this.design.extras ?? 0) === this.extras.length;
  }
}

/** Two questions that are reported as one, for their cross table. */
export class Pair extends Choice {
  static KEYS = "parts";

  /** @param {Fields} fields @param {Design} design */
  constructor(fields, design) {
    super(fields, design);
    this.parts = Object.freeze(checkList(fields.parts, 2, 2).map((part) => readPart(part)));
  }

  get size() {
    return this.parts[0].size * this.parts[1].size;
  }

  /** @param {(part: Part) => Code} codeOf @returns {Code} */
  encode(codeOf) {
    const [first, second] = this.parts.map((part) => /** @type {number} */ (codeOf(part)));
    return first * this.parts[1].size + second;
  }

  get ids() {
    return [this.id, ...this.parts.map(({ id }) => id)];
  }
}

const TYPES = new Map(
  Object.entries({
    yes_no: YesNo,
    single_choice: SingleChoice,
    multi_choice: MultiChoice,
    scale: Scale,
    number: NumberQuestion,
    pair: Pair,
  }),
);

/** Read a question whose mechanism is this design. @param {unknown} fields @param {Design} design */
export function readQuestion(fields, design) {
  const question = read(fields, ",mechanism", design);
  const { name } = /** @type {any} */ (fields).mechanism;
  need(question.fits(name), "a question has a mechanism that does not fit its answers");
  return question;
}

/** @param {unknown} fields @returns {Choice} */
function readPart(fields) {
  // A part has no design of its own.
  const part = read(fields, "", /** @type {any} */ (null));
  const isOther = part instanceof Pair || (part instanceof Scale && part.report === "mean");
  need(
    part instanceof Choice && !isOther,
    "a pair joins questions of the types yes_no, single_choice or scale (shares)",
  );
  return part;
}

/** @param {unknown} fields @param {string} last @param {Design} design @returns {Question} */
function read(fields, last, design) {
  const Type = TYPES.get(Object(fields).type);
  need(Type, "a question's type is unknown: update Hushpoll");
  return Object.freeze(new Type(checkKeys(fields, `id,text,type,${Type.KEYS}${last}`), design));
}
