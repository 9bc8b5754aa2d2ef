/**
 * Exact numbers: the place of an answer in its public range, as a ratio of integers.
 *
 * A number is the exact value of its 64 bits; nothing is rounded before the draw. What lies outside is moved to the end.
 */
import { check } from "./core.js";

/** @import { Share } from "./types.js" */

const DECIMAL = /^(?!-0$)-?(?:0|[1-9]\d{0,14})(?:\.\d{0,14}[1-9])?$/;
const MANTISSA = 2n ** 52n;

/** Read an end of a range in its one spelling. @param {unknown} value @returns {Share} */
export function readDecimal(value) {
  const text = check(value, DECIMAL, 'an end of a range is a number such as "40" or "-1.5", without spare zeros');
  const [, decimals = ""] = text.split(".");
  return { top: BigInt(text.replace(".", "")), bottom: 10n ** BigInt(decimals.length) };
}

/** Tell whether one number is below another. @param {Share} a @param {Share} b */
export function isBelow(a, b) {
  return a.top * b.bottom < b.top * a.bottom;
}

/** Give (value − low)/(high − low), from 0 to 1. @param {number} value @param {Share} low @param {Share} high */
export function placeOf(value, low, high) {
  const exact = ofBits(value);
  const top = (exact.top * low.bottom - low.top * exact.bottom) * high.bottom;
  const bottom = (high.top * low.bottom - low.top * high.bottom) * exact.bottom;
  if (top < 0n) return { top: 0n, bottom };
  return top > bottom ? { top: bottom, bottom } : { top, bottom };
}

/** Give the exact value of a finite number. @param {number} value */
function ofBits(value) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  // (2^52 + mantissa) · 2^(exponent − 1075); the smallest numbers have the exponent 1 and no leading bit.
  const exponent = bits / MANTISSA;
  const digits = exponent > 0n ? MANTISSA + (bits % MANTISSA) : bits;
  const size = digits << (exponent > 0n ? exponent : 1n);
  return { top: value < 0 ? -size : size, bottom: 2n ** 1075n };
}
