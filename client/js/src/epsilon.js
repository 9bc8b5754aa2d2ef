/**
 * Epsilon as an exact number: a whole number of units of 10^-20.
 *
 * The law here: no floating point. A stated epsilon is rounded down, a realised one up, so that what is claimed is
 * never smaller than what is spent.
 */
import { InvalidValue } from "./errors.js";

const DIGITS = 20;
const UNITS = 10n ** 20n;

const DECIMAL = /^(\d{1,40})(?:\.(\d{1,40}))?$/;
const RATIO = /^(\d{1,40})\/(\d{1,40})$/;

// Logarithms are computed in units of 10^-76. See `Epsilon.ofOdds` for the error.
const ONE = 10n ** 76n;
const LOG_ERROR = 10n ** 20n;

/** @type {[bigint, string][]} */
const BANDS = [
  [UNITS / 2n, "very strong"],
  [(UNITS * 11n) / 10n, "strong"],
  [UNITS * 2n, "moderate"],
  [UNITS * 4n, "weak"],
];

/** A privacy loss: the largest change, in log odds, that one report makes to anybody's belief. */
export class Epsilon {
  /** @param {bigint} units of 10^-20 */
  constructor(units) {
    if (units < 0n) throw new InvalidValue("epsilon must not be negative");
    this.units = units;
    Object.freeze(this);
  }

  /**
   * Read a stated epsilon ("1", "0.5", "1/3" or 1); what lies beyond 20 decimals is dropped, toward privacy.
   * @param {unknown} value
   */
  static parse(value, what = "epsilon") {
    const text = Number.isSafeInteger(value) ? String(value) : value;
    if (typeof text !== "string") {
      throw new InvalidValue(`${what} must be a whole number or a text such as "0.75" or "3/4", in quotes`);
    }
    const [top, bottom] = readFraction(text, what);
    return new Epsilon((top * UNITS) / bottom);
  }

  /**
   * Give ln(a/b), rounded up, for a ≥ b > 0.
   *
   * With 2^k ≤ a/b < 2^(k+1) and c = 2^k·b: ln(a/b) = k·ln 2 + ln(a/c), and ln(x/y) = 2·atanh((x−y)/(x+y)).
   * Fewer than 10^6 divisions each drop less than 10^-76, so the sum is low by less than 10^-70. Adding 10^-56, as
   * the Python client does, makes it an upper bound.
   * @param {bigint} a @param {bigint} b
   */
  static ofOdds(a, b) {
    if (b < 1n || a < b) throw new InvalidValue("odds below 1:1 have no epsilon: give the larger side first");
    if (a === b) return new Epsilon(0n);
    let k = BigInt(a.toString(2).length - b.toString(2).length);
    if (b << k > a) k -= 1n;
    const log = k * logOfRatio(2n, 1n) + logOfRatio(a, b << k) + LOG_ERROR;
    return new Epsilon(ceilDivide(log * UNITS, ONE));
  }

  /**
   * Compose two losses: one person's epsilons add up.
   * @param {Epsilon} other
   */
  plus(other) {
    return new Epsilon(this.units + other.units);
  }

  /**
   * Tell whether this loss is larger than another.
   * @param {Epsilon} other
   */
  exceeds(other) {
    return this.units > other.units;
  }

  /** Put the strength of the protection into words. */
  get band() {
    return BANDS.find(([limit]) => this.units <= limit)?.[1] ?? "little protection";
  }

  /** Write the shortest exact decimal. */
  toString() {
    const part = String(this.units % UNITS).padStart(DIGITS, "0");
    return `${this.units / UNITS}.${part}`.replace(/\.?0+$/, "");
  }
}

/** @param {string} text @param {string} what @returns {[bigint, bigint]} */
function readFraction(text, what) {
  const ratio = RATIO.exec(text);
  if (ratio && BigInt(ratio[2]) === 0n) throw new InvalidValue(`${what} must not divide by zero`);
  if (ratio) return [BigInt(ratio[1]), BigInt(ratio[2])];
  const decimal = DECIMAL.exec(text);
  if (!decimal) throw new InvalidValue(`${what} must be a positive number such as "2", "0.75" or "3/4"`);
  const [, whole, part = ""] = decimal;
  return [BigInt(whole + part), 10n ** BigInt(part.length)];
}

/** @param {bigint} x @param {bigint} y with y ≤ x ≤ 2y, so that z ≤ 1/3 and the series ends after 80 terms */
function logOfRatio(x, y) {
  const z = ((x - y) * ONE) / (x + y);
  const square = (z * z) / ONE;
  let sum = 0n;
  // atanh z = z + z³/3 + z⁵/5 + …
  for (let power = z, n = 1n; power > 0n; power = (power * square) / ONE, n += 2n) sum += power / n;
  return 2n * sum;
}

/** @param {bigint} top @param {bigint} bottom */
function ceilDivide(top, bottom) {
  return (top + bottom - 1n) / bottom;
}
