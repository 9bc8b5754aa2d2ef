/** Questions with one answer out of several options. */
import { Choice } from "./choice.js";
import { idOf, readOptions } from "./options.js";

/** @import { Fields } from "../types.js" */

const MOST_CHOICES = 100_000;

export class SingleChoice extends Choice {
  static NAME = "single_choice";
  static fields = ["options", "extras"];

  /** @param {Fields} fields */
  constructor(fields) {
    const options = readOptions(fields.options, MOST_CHOICES);
    super(fields, options.map(idOf));
    this.options = options;
  }
}
