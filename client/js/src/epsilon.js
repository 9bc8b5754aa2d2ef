/**
 * Epsilon as an exact number.
 *
 * The rule here: no floating point. A stated epsilon is rounded down, a realised one up, so that what is claimed is
 * never smaller than what is spent. One unit is 10^-20; both languages add and compare plain integers.
 */
import { need } from "./errors.js";

const UNITS = 10n ** 20n;
// Logarithms are integers in units of 10^-76.
const ONE = 10n ** 76n;

export class Epsilon {
  /** @param {bigint} units */
  constructor(units) {
    this.units = units;
  }

  /** Read a stated epsilon. @param {unknown} value a number, or a text such as "0.75" or "3/4" */
  static parse(value) {
    const [, top, decimals = "", bottom = 0] = /^(\d+)(?:\.(\d+)|\/(\d+))?$/.exec(`${value}`) ?? [];
    const divisor = BigInt(bottom || 10n ** BigInt(decimals.length));
    need(top && divisor, "an epsilon is not a number");
    return new Epsilon((BigInt(top + decimals) * UNITS) / divisor);
  }

  /** Return ln(a/b), rounded up, for odds of at least 1. @param {bigint} a @param {bigint} b */
  static ofOdds(a, b) {
    need(b > 0n && a >= b);
    // ln(a/b) = k ln 2 + ln(a/(2^k b)). The series is low by less than 10^-70; 10^-56 more is never too low.
    const k = BigInt((a / b).toString(2).length - 1);
    const log = k * logOfRatio(2n, 1n) + logOfRatio(a, b << k) + (a > b ? UNITS : 0n);
    return new Epsilon((log * UNITS + ONE - 1n) / ONE);
  }

  /** @param {Epsilon} other */
  plus(other) {
    return new Epsilon(this.units + other.units);
  }

  /** @param {Epsilon} other */
  exceeds(other) {
    return this.units > other.units;
  }

  /** The strength of the protection in words. */
  get band() {
    const tenths = (this.units * 10n - 1n) / UNITS + 1n;
    if (tenths <= 5n) return "very strong";
    if (tenths <= 11n) return "strong";
    if (tenths <= 20n) return "moderate";
    return tenths <= 40n ? "weak" : "little protection";
  }

  toString() {
    const decimals = `${this.units % UNITS}`.padStart(20, "0");
    return `${this.units / UNITS}.${decimals}`.replace(/\.?0+$/, "");
  }
}

/** Return ln(x/y) = 2 (z + z^3/3 + z^5/5 + …) with z = (x − y)/(x + y). @param {bigint} x @param {bigint} y */
function logOfRatio(x, y) {
  const z = ((x - y) * ONE) / (x + y);
  let sum = 0n;
  for (let power = z, n = 1n; power > 0n; power = (power * z * z) / ONE / ONE, n += 2n) sum += power / n;
  return 2n * sum;
}
