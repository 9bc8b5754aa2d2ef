/**
 * Projective geometry response for large codebooks: categories and reports are points over a prime field.
 *
 * A report supports every category at right angles to it; reports that support the truth weigh E, the others 1. A point
 * is the vector of which the first coordinate that is not zero is one; as digits, its coordinates are a number. All
 * numbers stay below 2^53, where JavaScript counts exactly. No branch depends on the coin.
 */
import { need } from "../errors.js";
import { THRESHOLD } from "./design.js";
import { Categories } from "./domains.js";
import { rounded, timesBeside } from "./sentence.js";
import { TwoWeights } from "./two_weights.js";

/** @import { ByteSource, DesignParameters } from "../types.js" */

// The server counts every possible report.
const MOST_POINTS = 2 ** 24;

export class Projective extends TwoWeights {
  static NAME = "projective";
  // The largest field is the next prime above the largest codebook.
  static bounds = { size: [2, 100_000], field: [2, 100_003], dimension: [2, 24], threshold: THRESHOLD };

  /** @param {DesignParameters<"size" | "field" | "dimension" | "threshold">} parameters */
  constructor({ size, field, dimension, threshold }) {
    const outside = field ** (dimension - 1);
    const inside = (outside - 1) / (field - 1);
    const points = inside + outside;
    need(isPrime(field) && size <= points && points <= MOST_POINTS);
    super(threshold, inside, outside, new Categories(size));
    this.size = size;
    this.field = field;
    this.dimension = dimension;
  }

  /** @param {ByteSource} source @param {number} code */
  sample(source, code) {
    const { field, dimension } = this;
    const { keep, near, far } = this.toss(source);
    const truth = digitsOf(pointOf(code, field), dimension, field);
    const report = digitsOf(keep * pointOf(near, field) + (1 - keep) * far, dimension - 1, field);
    // One coordinate is still free: it makes the product with the truth 0 (at right angles) or 1.
    const free = truth.indexOf(1);
    report.splice(free, 0, 0);
    const product = report.reduce((sum, digit, i) => sum + digit * truth[i], 0) % field;
    report[free] = (1 - keep + field - product) % field;
    return this.write(indexOfPoint(report, field));
  }

  /** @param {string} draw @param {number} place */
  names(draw, place) {
    const { field, dimension } = this;
    const [report, truth] = [Number.parseInt(draw, 16), place].map((index) =>
      digitsOf(pointOf(index, field), dimension, field),
    );
    return report.reduce((sum, digit, i) => sum + digit * truth[i], 0) % field === 0;
  }

  oddsSentence() {
    const { inside, outside, threshold } = this;
    return { ...this.sentSentence(), key: "odds", times: timesBeside(threshold, inside, inside + outside) };
  }

  sentSentence() {
    const { size, inside, outside } = this;
    return { key: "sent", values: { about: rounded(size * inside, inside + outside), size } };
  }
}

/**
 * Return a point as a number: those with k free digits, after a one, follow those with fewer.
 * @param {number} index @param {number} field
 */
export function pointOf(index, field) {
  let [rest, one] = [index, 1];
  for (; rest >= one; one *= field) rest -= one;
  return one + rest;
}

/** Return the index of the point on which a vector lies. @param {readonly number[]} vector @param {number} field */
function indexOfPoint(vector, field) {
  const [first, ...free] = vector.slice(vector.findIndex(Boolean));
  const scale = inverse(first, field);
  // Points with fewer digits come first (see pointOf), so each digit counts one more.
  return free.reduce((index, digit) => index * field + ((digit * scale) % field) + 1, 0);
}

/**
 * Return the digits of a number, most significant first.
 * @param {number} number @param {number} count @param {number} base
 */
export function digitsOf(number, count, base) {
  /** @type {number[]} */
  const digits = [];
  for (let rest = number; digits.length < count; rest = Math.floor(rest / base)) digits.unshift(rest % base);
  return digits;
}

/** Return what gives 1 when multiplied with a value. @param {number} value @param {number} field @returns {number} */
function inverse(value, field) {
  return value === 1 ? 1 : ((field - Math.floor(field / value)) * inverse(field % value, field)) % field;
}

/** @param {number} number at least 2 */
function isPrime(number) {
  let divisor = 2;
  while (number % divisor) divisor += 1;
  return divisor === number;
}
