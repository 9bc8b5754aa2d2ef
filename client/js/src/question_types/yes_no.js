/** Questions that are answered by yes or no. */
import { Choice } from "./choice.js";

/** @import { Fields } from "../types.js" */

export class YesNo extends Choice {
  static NAME = "yes_no";
  static fields = ["extras"];

  /** @param {Fields} fields */
  constructor(fields) {
    super(fields, [false, true]);
  }
}
