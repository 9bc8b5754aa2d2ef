/**
 * @file Projective geometry response for large codebooks: categories and reports are points over a prime field.
 *
 * A report supports every category at right angles to it; reports that support the truth weigh E, the others 1. A point
 * is the vector of which the first coordinate that is not zero is one; as digits, its coordinates are a number. All
 * numbers stay below 2^53, where JavaScript counts exactly. No branch depends on the coin.
 */
import { need } from "../errors.js";
import { THRESHOLD, TwoWeights } from "./two_weights.js";

export class Projective extends TwoWeights {
  static bounds = { size: [2, 100_000], field: [2, 100_003], dimension: [2, 53], threshold: THRESHOLD };

  /** @param {T.Some<"size" | "field" | "dimension" | "threshold">} fields */
  constructor(fields) {
    const { size, field, dimension } = fields;
    const outside = Number(BigInt(field) ** BigInt(dimension - 1));
    const inside = (outside - 1) / (field - 1);
    super(fields, inside, outside);
    let divisor = 2;
    while (field % divisor) divisor += 1;
    need(divisor === field && outside * field < 2 ** 53 && size <= inside + outside);
  }

  /** @param {T.ByteSource} source @param {number} code */
  sample(source, code) {
    const { field, dimension } = this;
    const [keep, near, far] = this.toss(source);
    const truth = digitsOf(pointOf(code, field), dimension, field);
    const report = digitsOf(keep * pointOf(near, field) + (1 - keep) * far, dimension - 1, field);
    /** @type {number} where the report makes the product with the truth 0 or 1 */
    const first = truth.indexOf(1);
    report.splice(first, 0, 0);
    const product = report.reduce((sum, digit, i) => sum + digit * truth[i], 0) % field;
    report[first] = (1 - keep + field - product) % field;
    return this.write(indexOf(report, field));
  }
}

/** Give a point as a number: those with k free digits, after a one, follow those with fewer. @param {number} index @param {number} field */
export function pointOf(index, field) {
  let [rest, one] = [index, 1];
  for (; rest >= one; one *= field) rest -= one;
  return one + rest;
}

/** Give the index of the point on which a vector lies. @param {readonly number[]} vector @param {number} field */
function indexOf(vector, field) {
  const [first, ...free] = vector.slice(vector.findIndex(Boolean));
  const scale = inverse(first, field);
  /** @see pointOf Each digit counts one more: points with fewer digits come first. */
  return free.reduce((index, digit) => index * field + ((digit * scale) % field) + 1, 0);
}

/** @param {number} number @param {number} count @param {number} base */
export function digitsOf(number, count, base) {
  /** @type {number[]} */
  const digits = [];
  for (let rest = number; digits.length < count; rest = Math.floor(rest / base)) digits.unshift(rest % base);
  return digits;
}

/** @param {number} value @param {number} field @returns {number} */
function inverse(value, field) {
  return value === 1 ? 1 : ((field - Math.floor(field / value)) * inverse(field % value, field)) % field;
}
