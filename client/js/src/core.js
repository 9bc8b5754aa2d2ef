/** Errors, strict JSON, exact epsilons and draws. */

export class HushpollError extends Error {
  get name() {
    return this.constructor.name;
  }
}
export class InvalidValue extends HushpollError {}
export class ManifestRefused extends HushpollError {}
export class Unsupported extends HushpollError {}
export class ClientError extends HushpollError {}
export class AnswerRefused extends ClientError {}
export class ReportRefused extends ClientError {}
export class AlreadyAnswered extends ReportRefused {}
export class EpsilonCapExceeded extends ClientError {}
export class StateFailed extends ClientError {}
export class ServerUnreachable extends ClientError {}
export class ServerRefused extends ClientError {}

/** @type {T.Need} */
export function need(fits, message) {
  if (!fits) throw new InvalidValue(message);
}

/** @type {T.Parse} */
export function parse(data) {
  let [text, value, again] = ["", null, ""];
  try {
    text = typeof data === "string" ? data : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
    value = JSON.parse(text);
    again = JSON.stringify(value);
  } catch {
    throw new InvalidValue("this is not JSON in UTF-8");
  }
  // JSON.parse drops one of two equal keys; each has a colon outside texts.
  need(countColons(text) === countColons(again), "an object has the same key twice");
  return value;
}

/** @type {T.IsObject} */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {string} text */
function countColons(text) {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, "").split(":").length;
}

export const SPAN = 2n ** 64n;
const UNITS = 10n ** 20n;
// The unit of logarithms is 10^-76.
const ONE = 10n ** 76n;

/** In units of 10^-20: stated ones rounded down, realised ones up. */
export class Epsilon {
  /** @param {bigint} units */
  constructor(units) {
    need(units >= 0n, "epsilon must not be negative");
    this.units = units;
    Object.freeze(this);
  }

  /** @param {unknown} value */
  static parse(value, what = "epsilon") {
    const text = Number.isSafeInteger(value) ? String(value) : value;
    const found = typeof text === "string" && /^(\d{1,40})(?:\.(\d{1,40})|\/(\d{1,40}))?$/.exec(text);
    const [, top, decimals = "", bottom = 10n ** BigInt(decimals.length)] = found || ["", "", "", "0"];
    need(BigInt(bottom), `${what} must be a number such as 2, "0.75" or "3/4"`);
    return new Epsilon((BigInt(top + decimals) * UNITS) / BigInt(bottom));
  }

  /** @param {bigint} a @param {bigint} b */
  static ofOdds(a, b) {
    need(b > 0n && a >= b, "odds must be above 1");
    if (a === b) return new Epsilon(0n);
    // ln(a/b) = k ln 2 + ln(a/(2^k b)), low by less than 10^-70: add 10^-56.
    let k = 0n;
    while (b << (k + 1n) <= a) k += 1n;
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

  get band() {
    const tenths = (this.units * 10n + UNITS - 1n) / UNITS;
    if (tenths <= 5n) return "very strong";
    if (tenths <= 11n) return "strong";
    if (tenths <= 20n) return "moderate";
    return tenths <= 40n ? "weak" : "little protection";
  }

  toString() {
    const decimals = String(this.units % UNITS).padStart(20, "0");
    return `${this.units / UNITS}.${decimals}`.replace(/\.?0+$/, "");
  }
}

/** ln(x/y) = 2 (z + z^3/3 + z^5/5 + ...) @param {bigint} x @param {bigint} y */
function logOfRatio(x, y) {
  const z = ((x - y) * ONE) / (x + y);
  let sum = 0n;
  for (let power = z, n = 1n; power > 0n; power = (power * z * z) / ONE / ONE, n += 2n) sum += power / n;
  return 2n * sum;
}

/** Each byte is handed out once. */
export class SecureBytes {
  #page = new Uint8Array(0);

  /** @param {number} count */
  take(count) {
    if (!globalThis.crypto?.getRandomValues) throw new Unsupported("no secure random source: use a current browser");
    if (this.#page.length < count) this.#page = crypto.getRandomValues(new Uint8Array(Math.max(4096, count)));
    const bytes = this.#page.slice(0, count);
    this.#page.fill(0, 0, count);
    this.#page = this.#page.subarray(count);
    return bytes;
  }
}

/** @param {T.ByteSource} source */
export function takePair(source) {
  const bytes = source.take(8);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const pair = [view.getUint32(0), view.getUint32(4)];
  bytes.fill(0);
  return pair;
}

/** 1 with probability threshold / SPAN, without a branch. @type {T.Bernoulli} */
export function bernoulli(source, threshold) {
  const [high, low] = takePair(source);
  return borrow(high, Number(threshold >> 32n), borrow(low, Number(threshold & 0xffffffffn), 0));
}

/** 1 if x - y - carry < 0 in 32 bits. @type {T.Borrow} */
function borrow(x, y, carry) {
  return ((~x & y) | ((~x | y) & (x - y - carry))) >>> 31;
}
