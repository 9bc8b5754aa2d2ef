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
  static fields = ["min", "max", "report", "point_masses", "extras"];

  /** @param {Fields} fields */
  constructor(fields) {
    super(fields);
    const { min, max, report, point_masses } = fields;
    need(Array.isArray(point_masses));
    const areNumbers = [min, max, ...point_masses].every((end) => typeof end === "string" && DECIMAL.test(end));
    need(areNumbers && placeOf(0, min, max).bottom > 0n);
    /** Numbers that are answers of their own. */
    this.masses = point_masses.map(Number);
    /** @type {Domain} */
    this.domain = new Numbers(report, point_masses.length + this.extras.length);
  }

  /** Return the code of an answer; undefined if there is none. @param {any} answer @returns {NumberCode | undefined} */
  code(answer) {
    if (this.extras.includes(answer)) return this.masses.length + this.extras.indexOf(answer);
    if (!Number.isFinite(answer)) return undefined;
    const mass = this.masses.indexOf(Math.min(Math.max(answer, Number(this.min)), Number(this.max)));
    return mass < 0 ? placeOf(answer, this.min, this.max) : mass;
  }
}
