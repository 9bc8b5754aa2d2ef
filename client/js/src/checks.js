/** Checks of plain values. */

/** @param {unknown} value @returns {value is string} */
export function isText(value) {
  return typeof value === "string" && value !== "";
}

/**
 * Return whether a value is a whole number within bounds.
 * @param {any} value @param {number} least @param {number} most
 */
export function isWhole(value, least, most) {
  return Number.isInteger(value) && value >= least && value <= most;
}
