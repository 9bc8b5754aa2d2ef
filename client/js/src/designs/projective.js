/**
 * Projective geometry response for large codebooks: categories and reports are points over a prime field.
 *
 * A report supports every category at right angles to it; reports that support the truth weigh E, the others 1. All
 * numbers stay below 2^53, where JavaScript counts exactly. No branch depends on the coin.
 */
import { bernoulli, checkThreshold, need, readFields } from "../core.js";
import { uniform } from "../uniform.js";
import { TwoWeights } from "./two_weights.js";
import { checkSize, indexWidth, writeIndex } from "./wire.js";

/** @import { ByteSource } from "../types.js" */

const LARGEST = 100_000;
const LARGEST_FIELD = 100_003;

export class Projective extends TwoWeights {
  /** @param {number} size @param {number} field @param {number} dimension @param {bigint} threshold */
  constructor(size, field, dimension, threshold) {
    need(isPrime(field), "the field of a projective design must have a prime number of elements");
    need(power(field, dimension) < 2 ** 53, "the space of a projective design is too large");
    const [inside, outside] = [countPoints(dimension - 1, field), power(field, dimension - 1)];
    need(size <= inside + outside, "a projective design has more categories than points");
    super(threshold, inside, outside);
    this.size = size;
    this.field = field;
    this.dimension = dimension;
    this.inside = inside;
    this.outside = outside;
    Object.freeze(this);
  }

  /** @param {unknown} fields */
  static read(fields) {
    const { size, field, dimension, threshold, ...claims } = readFields(
      fields,
      "projective",
      "size,field,dimension,threshold",
    );
    const sizes = [checkSize(size, 2, LARGEST), checkSize(field, 2, LARGEST_FIELD), checkSize(dimension, 2, 53)];
    return new Projective(sizes[0], sizes[1], sizes[2], checkThreshold(threshold)).check(claims);
  }

  get blank() {
    return "-".repeat(indexWidth(this.inside + this.outside - 1));
  }

  /** @param {ByteSource} source @param {number} code */
  draw(source, code) {
    const { field, dimension, inside, outside } = this;
    const keep = bernoulli(source, this.threshold);
    const kept = pointOf(Number(uniform(source, BigInt(inside))), dimension - 1, field);
    const other = digitsOf(Number(uniform(source, BigInt(outside))), dimension - 1, field);
    const truth = pointOf(code, dimension, field);
    const free = kept.map((coordinate, i) => keep * coordinate + (1 - keep) * other[i]);
    // The first coordinate of the truth that is not zero is one: the report's there makes ⟨truth, report⟩ 0 or 1.
    const first = truth.indexOf(1);
    const report = [...free.slice(0, first), 0, ...free.slice(first)];
    const product = report.reduce((sum, coordinate, i) => (sum + coordinate * truth[i]) % field, 0);
    report[first] = (1 - keep + field - product) % field;
    return writeIndex(indexOf(report, field), inside + outside - 1);
  }
}

/** Give (F^t − 1)/(F − 1). @param {number} dimension @param {number} field */
export function countPoints(dimension, field) {
  return (power(field, dimension) - 1) / (field - 1);
}

/**
 * Give the coordinates of a point: zeros, a one, and free digits, most significant first.
 * @param {number} index @param {number} dimension @param {number} field
 */
export function pointOf(index, dimension, field) {
  let free = 0;
  while (countPoints(free + 1, field) <= index) free += 1;
  const zeros = Array(dimension - 1 - free).fill(0);
  return [...zeros, 1, ...digitsOf(index - countPoints(free, field), free, field)];
}

/** Give the index of the point on which a vector lies. @param {readonly number[]} vector @param {number} field */
function indexOf(vector, field) {
  const first = vector.findIndex((coordinate) => coordinate > 0);
  const scale = inverse(vector[first], field);
  const free = vector.slice(first + 1);
  return (
    free.reduce((sum, coordinate) => sum * field + ((coordinate * scale) % field), 0) + countPoints(free.length, field)
  );
}

/** @param {number} number @param {number} count @param {number} base */
function digitsOf(number, count, base) {
  const digits = Array(count);
  for (let [place, rest] = [count - 1, number]; place >= 0; place -= 1) {
    digits[place] = rest % base;
    rest = (rest - digits[place]) / base;
  }
  return digits;
}

/** Multiply, because ** need not be exact. @param {number} base @param {number} exponent */
function power(base, exponent) {
  let product = 1;
  for (let i = 0; i < exponent; i += 1) product *= base;
  return product;
}

/** Give value^(F − 2), which is 1/value in the field. @param {number} value @param {number} field */
function inverse(value, field) {
  let [result, power] = [1, value];
  for (let rest = field - 2; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = (result * power) % field;
    power = (power * power) % field;
  }
  return result;
}

/** @param {number} number */
function isPrime(number) {
  for (let divisor = 2; divisor * divisor <= number; divisor += 1) if (number % divisor === 0) return false;
  return number > 1;
}
