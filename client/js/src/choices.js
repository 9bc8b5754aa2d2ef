/**
 * @file What all questions have in common, and those of which exactly one answer is true.
 *
 * The law here: everything that somebody could answer, "prefer not to say" and "does not apply" included, is inside the
 * domain that the mechanism randomizes. `code` gives the place of an answer in it, or undefined for what is no answer.
 */
import { readDesign } from "./designs/index.js";
import { need } from "./errors.js";

export class Question {
  /** @param {T.Fields} fields */
  constructor({ mechanism, when = null, ...fields }) {
    /** @type {{ extras?: string[], options?: (string | string[])[], labels?: [number, string][] }} */
    const { extras = [], options = [], labels = [] } = fields;
    need(!when || extras.includes("does_not_apply"), "an answer is unknown");
    Object.assign(this, fields, {
      /** @remarks A type counts its answers; no field of a manifest does. */
      size: 0,
      when,
      extras,
      options: options.map((option) => [option].flat()).map(([id, text = id]) => ({ id, text })),
      labels: labels.map(([point, text]) => ({ point, text })),
      spelling: JSON.stringify(fields),
      design: mechanism && readDesign(mechanism),
    });
  }

  /** @param {(part: any) => T.Code} codeOf @returns {T.Code} */
  encode(codeOf) {
    return codeOf(this);
  }

  /** @param {T.Design} design @returns {unknown} */
  fits({ size }) {
    return size === this.size;
  }
}

export class Choice extends Question {
  /** @type {Map<unknown, number>} */
  #places;

  /** @param {any} fields */
  constructor(fields) {
    super(fields);
    /** @type {{ type: "yes_no" | "scale", min: number, max: number }} or a type without points */
    const { type, min, max } = fields;
    const points = Array.from({ length: max - min + 1 }, (_, i) => min + i);
    const answers = { yes_no: [false, true], scale: points }[type] ?? this.options.map(({ id }) => id);
    this.#places = new Map([...answers, ...this.extras].map((answer, place) => [answer, place]));
    this.size = this.#places.size;
  }

  /** @param {unknown} answer */
  code(answer) {
    return this.#places.get(answer);
  }
}
