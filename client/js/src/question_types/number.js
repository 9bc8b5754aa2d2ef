/** Questions that are answered by a number in a public range. */
import { need } from "../errors.js";
import { Numbers } from "../mechanisms/domains.js";
import { placeOf } from "../mechanisms/grid.js";
import { Question } from "./question.js";

/** @import { Domain, Fields, NumberCode } from "../types.js" */

// In one spelling: no spare zeros, and no minus before zero.
const DECIMAL = /^(?!-0$)-?(?:0|[1-9]\d{0,14})(?:\.\d{0,14}[1-9])?$/;

export class NumberInRange extends Question {
  static NAME = "number";
  static fields = ["min", "max", "report", "extras"];

  /** @param {Fields} fields */
  constructor(fields) {
    super(fields);
    const { min, max, report } = fields;
    const areEnds = [min, max].every((end) => typeof end === "string" && DECIMAL.test(end));
    need(areEnds && placeOf(0, min, max).bottom > 0n);
    /** @type {Domain} */
    this.domain = new Numbers(report, this.extras.length);
  }

  /** Return the code of an answer; undefined if there is none. @param {any} answer @returns {NumberCode | undefined} */
  code(answer) {
    if (this.extras.includes(answer)) return this.extras.indexOf(answer);
    return Number.isFinite(answer) ? placeOf(answer, this.min, this.max) : undefined;
  }
}
