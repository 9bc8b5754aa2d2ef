/** @file Warner's randomized response: subset selection of two, written as a number. It may exchange the answers. */
import { Subset } from "./subset.js";
import { THRESHOLD } from "./two_weights.js";

export class Warner extends Subset {
  static bounds = { threshold: THRESHOLD };

  /** @param {T.Some<"threshold">} fields */
  constructor(fields) {
    super({ ...fields, size: 2, picks: 1 });
  }

  /** @param {T.ByteSource} source @param {number} code */
  sample(source, code) {
    return Number(super.sample(source, code));
  }
}
