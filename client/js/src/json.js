/** JSON without surprises: UTF-8 only, no byte order mark, no key twice. A message never repeats what was read. */
import { InvalidValue, need } from "./errors.js";

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @param {string | Uint8Array} data @returns {unknown} */
export function parse(data) {
  let text;
  let value;
  let again;
  try {
    text = typeof data === "string" ? data : UTF8.decode(data);
    value = JSON.parse(text);
    again = JSON.stringify(value);
  } catch {
    throw new InvalidValue("this is not JSON in UTF-8");
  }
  // Of two equal keys JSON.parse keeps the last. Outside texts each colon is a key: one lost is one that came twice.
  need(countColons(text) === countColons(again), "an object has the same key twice");
  return value;
}

/** @type {import("./types.js").IsObject} */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {string} text */
function countColons(text) {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, "").split(":").length;
}
