/**
 * @file What mechanisms take: categories, ticks, and places in a range. A code outside its domain has no odds: it would
 * send the answer in clear. So every draw refuses it first, as the last line of defence.
 *
 * That takes no bytes, and every code inside passes.
 */

/** @param {unknown} code @param {number} size */
export function isCategory(code, size) {
  return Number.isInteger(code) && Number(code) >= 0 && Number(code) < size;
}

/** @param {any} code @param {number} count @param {number} [most] */
export function isTicks(code, count, most = count) {
  const isWhole = Array.isArray(code) && code.length === count && [...code].every((tick) => isCategory(tick, 2));
  return isWhole && code.filter(Boolean).length <= most;
}

/** @param {any} code the place of an extra, or a share @param {number} [extras] */
export function isPlace(code, extras = 0) {
  if (typeof code === "number") return isCategory(code, extras);
  const { top, bottom } = Object(code);
  return top >= 0n && top <= bottom && bottom > 0n;
}
