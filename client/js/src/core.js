/** Errors, strict JSON, exact epsilons and draws. */

// \x1c-\x1f are white space to Python.
const TEXT = /^(?=.*[^\p{White_Space}\x1c-\x1f])\P{Surrogate}{1,10000}$/su;

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
export function parse(data, isCompact = false) {
  let [text, value, again] = ["", null, ""];
  try {
    text = typeof data === "string" ? data : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
    value = JSON.parse(text);
    again = JSON.stringify(value);
  } catch {
    throw new InvalidValue("this is not JSON in UTF-8");
  }
  // JSON.parse drops one of two equal keys; each has a colon outside texts.
  const isExact = isCompact ? text === again : countColons(text) === countColons(again);
  need(isExact, "an object has the same key twice, or spare space");
  return value;
}

/** @type {T.CheckKeys} */
export function checkKeys(fields, keys) {
  const given = Object(fields);
  need(String(Object.keys(given)) === keys, `it must have exactly ${keys}`);
  return given;
}

/** @type {T.Check} */
export function check(value, pattern, message) {
  need(typeof value === "string" && pattern.test(value), message);
  return value;
}

/** @type {T.CheckList} */
export function checkList(value, least, most) {
  need(Array.isArray(value) && value.length >= least && value.length <= most, `it needs a list of ${least} to ${most}`);
  return value;
}

/** @param {unknown} value */
export function checkName(value) {
  return check(value, /^[a-z][a-z0-9_-]{0,63}$/, "a name has 1 to 64 of a-z, 0-9, _ and -");
}

/** @param {unknown} value */
export function checkText(value) {
  return check(value, TEXT, "a text has 1 to 10000 characters");
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

/** A reader believes no claim: odds and epsilon follow from integers. */
export class Design {
  /** @param {bigint} top @param {bigint} bottom */
  constructor(top, bottom, kept = top, all = top + bottom) {
    need(top > bottom, "a mechanism reveals nothing");
    this.epsilon = Epsilon.ofOdds(top, bottom);
    let [common, rest] = [top, bottom];
    while (rest) [common, rest] = [rest, common % rest];
    this.odds = `${top / common}:${bottom / common}`;
    this.timesIn100 = Number((200n * kept + all) / (2n * all));
  }

  /** @param {Record<string, unknown>} claims */
  check({ odds, epsilon }) {
    const isTooSmall = this.epsilon.exceeds(Epsilon.parse(epsilon));
    need(odds === this.odds && !isTooSmall, "a mechanism's claims are not true");
    return this;
  }
}

/** @type {T.ReadFields} */
export function readFields(fields, name, keys) {
  const given = checkKeys(fields, `name,${keys},odds,epsilon`);
  need(given.name === name, `the mechanism is not ${name}`);
  return given;
}

/** @param {unknown} value */
export function checkThreshold(value) {
  return BigInt(check(value, /^[1-9]\d{0,19}$/, "a threshold is a whole number"));
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

/** Send the answer with probability threshold / SPAN, else its opposite. */
export class Warner extends Design {
  /** @param {bigint} threshold */
  constructor(threshold) {
    const other = SPAN - threshold;
    const [large, small] = threshold > other ? [threshold, other] : [other, threshold];
    super(large, small, threshold, SPAN);
    this.threshold = threshold;
    Object.freeze(this);
  }

  /** @param {unknown} fields */
  static read(fields) {
    const { threshold, ...claims } = readFields(fields, "warner", "threshold");
    return new Warner(checkThreshold(threshold)).check(claims);
  }

  /** @type {T.DrawBit} */
  draw(source, code) {
    return code ^ 1 ^ bernoulli(source, this.threshold);
  }
}
