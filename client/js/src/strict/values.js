/** Values in one spelling: JSON without duplicate keys, names, texts, lists, whole numbers, keys and epsilons. */
import { isWhole } from "../checks.js";
import { Epsilon } from "../epsilon.js";
import { InvalidValue, need } from "../errors.js";

/** @import { Fields } from "../types.js" */

// \x1c-\x1f are white space to Python. No character may change the direction of reading: manifest.js gives the reason.
const TEXT = /^(?=.*[^\p{White_Space}\x1c-\x1f])[^\p{Surrogate}\u202a-\u202e\u2066-\u2069]{1,10000}$/su;
// Not 1/0, which is not a number.
const EPSILON = /^\d{1,40}(?:\.\d{1,40}|\/(?=0*[1-9])\d{1,40})?$/;

/**
 * Read JSON: UTF-8 only, no byte order mark, no duplicate keys.
 * @param {string | Uint8Array} data @param {boolean} [isCompact] in the one spelling without white space
 * @returns {unknown}
 */
export function parse(data, isCompact = false) {
  let [text, value, again] = ["", null, ""];
  try {
    text = typeof data === "string" ? data : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
    value = JSON.parse(text);
    again = JSON.stringify(value);
  } catch {
    throw new InvalidValue("this is not JSON in UTF-8");
  }
  // JSON.parse drops one of two equal keys; each has a colon outside strings.
  const isExact = isCompact ? text === again : countColons(text) === countColons(again);
  need(isExact, "an object has the same key twice, or spare space");
  return value;
}

/** @param {string} text */
function countColons(text) {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, "").split(":").length;
}

/**
 * Return an object that has exactly these keys, in this order.
 * @param {unknown} value @param {readonly string[]} keys @returns {Fields}
 */
export function checkKeys(value, keys) {
  const fields = Object(value);
  need(isSpelled(Object.keys(fields), keys), `it must have exactly ${keys.join(", ")}`);
  return fields;
}

/** Return whether two values have the same JSON. @param {unknown} value @param {unknown} other */
export function isSpelled(value, other) {
  return JSON.stringify(value) === JSON.stringify(other);
}

/** Return a text that fits a pattern. @param {unknown} value @param {RegExp} pattern @param {string} message */
export function check(value, pattern, message) {
  need(typeof value === "string" && pattern.test(value), message);
  return value;
}

/**
 * Return a list of a certain length.
 * @param {unknown} value @param {number} least @param {number} most @returns {readonly unknown[]}
 */
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
  return check(value, TEXT, "a text has 1 to 10000 characters, none that turns the direction");
}

/** @param {unknown} value @param {number} least @param {number} most */
export function checkWhole(value, least, most) {
  need(isWhole(value, least, most), `a number must be whole and from ${least} to ${most}`);
  return Number(value);
}

/** @param {readonly unknown[]} values @param {string} message */
export function checkDistinct(values, message) {
  need(new Set(values).size === values.length, message);
}

/** @param {unknown} value */
export function checkKey(value) {
  return check(value, /^ed25519:[\w-]{43}$/, "a key must be written as ed25519: and 43 characters");
}

/** @param {unknown} value */
export function checkEpsilon(value) {
  return check(value, EPSILON, "an epsilon is a number");
}

/** Read a limit that an app sets: a whole number, or a text. @param {unknown} value @param {string} what */
export function readEpsilon(value, what) {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  const message = `${what} must be a number such as 2, "0.75" or "3/4"`;
  return Epsilon.parse(check(text, EPSILON, message));
}
