/** Values in one spelling: JSON without a key twice, names, texts, lists and whole numbers. */
import { InvalidValue, need } from "./errors.js";

// \x1c-\x1f are white space to Python. Nothing may turn the direction of reading: manifest.js says why.
const TEXT = /^(?=.*[^\p{White_Space}\x1c-\x1f])[^\p{Surrogate}\u202a-\u202e\u2066-\u2069]{1,10000}$/su;

// Not 1/0, which is no number.
export const EPSILON = /^\d{1,40}(?:\.\d{1,40}|\/(?=0*[1-9])\d{1,40})?$/;

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

/** @param {string} text */
function countColons(text) {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, "").split(":").length;
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
  return check(value, TEXT, "a text has 1 to 10000 characters, none that turns the direction");
}

/** @param {unknown} value @param {number} least @param {number} most */
export function checkWhole(value, least, most) {
  const isWhole = Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
  need(isWhole, `a number must be whole and from ${least} to ${most}`);
  return Number(value);
}

/** @param {readonly unknown[]} values @param {string} message */
export function checkDistinct(values, message) {
  need(new Set(values).size === values.length, message);
}
