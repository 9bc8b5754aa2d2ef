/**
 * @file Exact epsilons, and what all mechanisms share.
 *
 * The law here: a reader believes no claim. Odds and epsilon follow from the integers of a mechanism.
 */
import { isCategory } from "./domains.js";
import { need } from "./errors.js";

export const SPAN = 2n ** 64n;
/** @type {bigint} the units of an epsilon are 10^-20, those of a logarithm 10^-76 */
const UNITS = 10n ** 20n;
const ONE = 10n ** 76n;

/** @see SPAN Stated epsilons are rounded down, realised ones up. */
export class Epsilon {
  /** @param {bigint} units */
  constructor(units) {
    this.units = units;
  }

  /** @param {unknown} value a number or a text */
  static parse(value) {
    const [, top, decimals = "", bottom = 0] = /^(\d+)(?:\.(\d+)|\/(\d+))?$/.exec(`${value}`) ?? [];
    const divisor = BigInt(bottom || 10n ** BigInt(decimals.length));
    need(top && divisor, "an epsilon is not sound");
    return new Epsilon((BigInt(top + decimals) * UNITS) / divisor);
  }

  /** @param {bigint} a @param {bigint} b */
  static ofOdds(a, b) {
    need(b > 0n && a >= b);
    /** @remarks ln(a/b) = k ln 2 + ln(a/(2^k b)), low by less than 10^-70: 10^-56 more is never too low. */
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

/** ln(x/y) = 2 (z + z^3/3 + z^5/5 + …) @param {bigint} x @param {bigint} y */
function logOfRatio(x, y) {
  const z = ((x - y) * ONE) / (x + y);
  let sum = 0n;
  for (let power = z, n = 1n; power > 0n; power = (power * z * z) / ONE / ONE, n += 2n) sum += power / n;
  return 2n * sum;
}

export class Design {
  /**
   * @param {object} fields as the manifest gives them
   * @param {bigint} a @param {bigint} b the probabilities of one report under two answers, at the worst
   * @param {number | bigint} last the last report, counted from 0: it fixes the width of all
   */
  constructor(fields, a, b, last) {
    const [top, bottom] = a > b ? [a, b] : [b, a];
    this.epsilon = Epsilon.ofOdds(top, bottom);
    let [common, rest] = [top, bottom];
    while (rest) [common, rest] = [rest, common % rest];
    this.odds = `${top / common}:${bottom / common}`;
    this.weights = [a, b];
    this.last = last;
    this.blank = last.toString(16).replace(/./g, "-");
    Object.assign(this, fields);
  }

  /** @param {T.ByteSource} source @param {T.Code} code @param {readonly T.Memo[]} [memos] @returns {T.Draw} */
  draw(source, code, memos) {
    need(this.holds(code), "an answer is outside its mechanism");
    return this.sample(source, code, memos);
  }

  /** Tell whether a code is in the domain. @param {T.Code} code */
  holds(code) {
    return isCategory(code, this.size);
  }

  /** @param {number | bigint} report its number */
  write(report) {
    return report.toString(16).padStart(this.blank.length, "0");
  }
}
