/** Epsilon as whole units of 10^-20, without floating point: stated values are rounded down, realised ones up. */
import { need } from "./errors.js";

const UNITS = 10n ** 20n;
// Logarithms are in units of 10^-76.
const ONE = 10n ** 76n;

/** A privacy loss: the largest change, in log odds, that one report makes to anybody's belief. */
export class Epsilon {
  /** @param {bigint} units */
  constructor(units) {
    need(units >= 0n, "epsilon must not be negative");
    this.units = units;
    Object.freeze(this);
  }

  /** Read 1, "0.5" or "1/3". @param {unknown} value */
  static parse(value, what = "epsilon") {
    const text = Number.isSafeInteger(value) ? String(value) : value;
    const found = typeof text === "string" && /^(\d{1,40})(?:\.(\d{1,40})|\/(\d{1,40}))?$/.exec(text);
    const [, top, decimals = "", bottom = 10n ** BigInt(decimals.length)] = found || ["", "", "", "0"];
    need(BigInt(bottom), `${what} must be a number such as 2, "0.75" or "3/4", with decimals in quotes`);
    return new Epsilon((BigInt(top + decimals) * UNITS) / BigInt(bottom));
  }

  /**
   * Give ln(a/b), rounded up, for a ≥ b > 0.
   *
   * With 2^k ≤ a/b < 2^(k+1): ln(a/b) = k·ln 2 + ln(a/(2^k·b)). Fewer than 10^6 divisions drop less than 10^-76 each,
   * so the sum is low by less than 10^-70; adding 10^-56, as Python does, makes it an upper bound.
   * @param {bigint} a @param {bigint} b
   */
  static ofOdds(a, b) {
    need(b > 0n && a >= b, "odds must have the larger side first");
    if (a === b) return new Epsilon(0n);
    let k = BigInt(a.toString(2).length - b.toString(2).length);
    if (b << k > a) k -= 1n;
    const log = k * logOfRatio(2n, 1n) + logOfRatio(a, b << k) + 10n ** 20n;
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

  /** Put the strength of the protection into words. */
  get band() {
    const tenths = (this.units * 10n + UNITS - 1n) / UNITS;
    if (tenths <= 5n) return "very strong";
    if (tenths <= 11n) return "strong";
    if (tenths <= 20n) return "moderate";
    return tenths <= 40n ? "weak" : "little protection";
  }

  /** Write the shortest exact decimal. */
  toString() {
    const decimals = String(this.units % UNITS).padStart(20, "0");
    return `${this.units / UNITS}.${decimals}`.replace(/\.?0+$/, "");
  }
}

/** Give ln(x/y) = 2·atanh((x−y)/(x+y)) for y ≤ x ≤ 2y. @param {bigint} x @param {bigint} y */
function logOfRatio(x, y) {
  const z = ((x - y) * ONE) / (x + y);
  let sum = 0n;
  // atanh z = z + z³/3 + z⁵/5 + …
  for (let power = z, n = 1n; power > 0n; power = (power * z * z) / ONE / ONE, n += 2n) sum += power / n;
  return 2n * sum;
}
