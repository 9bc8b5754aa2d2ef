/** What the designs of manifests of format 2 share: sizes, and draws of fixed widths in one spelling. */
import { need } from "../core.js";

/** Give a number of things. @param {unknown} value @param {number} least @param {number} most */
export function checkSize(value, least, most) {
  need(Number.isInteger(value), "a size is a whole number");
  const size = /** @type {number} */ (value);
  need(size >= least && size <= most, "a size of a mechanism is out of bounds");
  return size;
}

/** Give the number of digits of the largest index. @param {number} last */
export function indexWidth(last) {
  return last.toString(16).length;
}

/** Write an index with as many digits as the last one has. @param {number} index @param {number} last */
export function writeIndex(index, last) {
  return index.toString(16).padStart(indexWidth(last), "0");
}

/** Give 1 if a < b, else 0, without a branch; both below 2^31. @param {number} a @param {number} b */
export function isBelow(a, b) {
  return (a - b) >>> 31;
}
