/**
 * JSON without surprises: UTF-8 only, no byte order mark, no key twice. A message never repeats what was read.
 */
import { InvalidValue } from "./errors.js";

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const TEXTS = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/**
 * Read UTF-8 and nothing else.
 * @param {Uint8Array} bytes
 */
export function decode(bytes) {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new InvalidValue("the text is not UTF-8");
  }
}

/**
 * Read one JSON value.
 * @param {string} text
 * @returns {unknown}
 */
export function parse(text) {
  const value = parseLoosely(text);
  // JSON.parse keeps the last of two equal keys. Outside texts each colon is a key: one lost is one that came twice.
  if (text.replace(TEXTS, "").split(":").length - 1 !== countKeys(value)) {
    throw new InvalidValue("an object has the same key twice");
  }
  return value;
}

/**
 * Tell whether a JSON value is an object.
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {string} text @returns {unknown} */
function parseLoosely(text) {
  try {
    return JSON.parse(text);
  } catch {
    // The platform's own message would repeat the text.
    throw new InvalidValue("this is not JSON");
  }
}

/** @param {unknown} value @returns {number} */
function countKeys(value) {
  let count = 0;
  for (const waiting = [value]; waiting.length > 0; ) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    const values = Object.values(next);
    if (!Array.isArray(next)) count += values.length;
    for (const inner of values) waiting.push(inner);
  }
  return count;
}
