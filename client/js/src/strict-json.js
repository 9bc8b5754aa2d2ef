/** JSON without surprises: UTF-8 only, no byte order mark, no key twice. A message never repeats what was read. */
import { InvalidValue, need } from "./errors.js";

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const TEXTS = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** Read one JSON value. @param {string | Uint8Array} data @returns {unknown} */
export function parse(data) {
  let text;
  let value;
  try {
    text = typeof data === "string" ? data : UTF8.decode(data);
    value = JSON.parse(text);
  } catch {
    throw new InvalidValue("this is not JSON in UTF-8");
  }
  // JSON.parse keeps the last of two equal keys. Outside texts each colon is a key: one lost is one that came twice.
  const colons = text.replace(TEXTS, "").split(":").length - 1;
  need(colons === countKeys(value), "an object has the same key twice");
  return value;
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {unknown} value */
function countKeys(value) {
  let count = 0;
  for (const waiting = [value]; waiting.length; ) {
    const next = waiting.pop();
    const values = Object.values(typeof next === "object" ? (next ?? {}) : {});
    if (isObject(next)) count += values.length;
    for (const inner of values) waiting.push(inner);
  }
  return count;
}
