/**
 * Exact draws from a source of random bytes.
 *
 * The laws here: only a cryptographic source by default; how many bytes are taken, and which branches run, never
 * depends on an answer. All probabilities are integers over 2^64, so a draw is exact, not approximately so.
 */
import { InvalidValue, Unsupported } from "./errors.js";

/**
 * Anything that hands out random bytes, each byte once.
 * @typedef {{ take(count: number): Uint8Array }} ByteSource
 */

export const SPAN = 2n ** 64n;
const PAGE = 4096;

/** The platform's cryptographic random bytes, fetched a page at a time. */
export class SecureBytes {
  #page = new Uint8Array(0);
  #next = 0;

  /**
   * Hand out a copy of the next bytes and wipe them here.
   * @param {number} count
   */
  take(count) {
    if (this.#next + count > this.#page.length) this.#refill(count);
    const start = this.#next;
    this.#next += count;
    const bytes = this.#page.slice(start, this.#next);
    this.#page.fill(0, start, this.#next);
    return bytes;
  }

  /** @param {number} count */
  #refill(count) {
    if (typeof globalThis.crypto?.getRandomValues !== "function") {
      throw new Unsupported("there is no secure random source here: use a current browser, or Node 20 or later");
    }
    this.#page = globalThis.crypto.getRandomValues(new Uint8Array(Math.max(PAGE, count)));
    this.#next = 0;
  }
}

/**
 * Draw an integer below 2^64 from eight bytes, big-endian.
 * @param {ByteSource} source
 */
export function u64(source) {
  const [high, low] = takePair(source);
  return (BigInt(high) << 32n) | BigInt(low);
}

/**
 * Draw 1 with probability threshold / 2^64, else 0, from exactly eight bytes and without a branch.
 * @param {ByteSource} source @param {bigint} threshold from 0 to 2^64 − 1
 */
export function bernoulli(source, threshold) {
  const [high, low] = takePair(source);
  const lowBorrow = borrow(low, Number(threshold & 0xffffffffn), 0);
  return borrow(high, Number(threshold >> 32n), lowBorrow);
}

/**
 * Draw one of 0 … size − 1, all equally likely.
 *
 * Draws above the largest multiple of `size` are thrown away; how often that happens depends on `size` alone.
 * @param {ByteSource} source @param {bigint} size
 */
export function uniform(source, size) {
  if (size < 1n || size > SPAN) throw new InvalidValue("the size of a uniform draw must be between 1 and 2^64");
  const limit = SPAN - (SPAN % size);
  let value = u64(source);
  while (value >= limit) value = u64(source);
  return value % size;
}

/**
 * Give 1 if x − y − carry is below zero for unsigned 32-bit x and y, else 0: integer operations only.
 * @param {number} x @param {number} y @param {number} carry
 */
function borrow(x, y, carry) {
  return ((~x & y) | ((~x | y) & (x - y - carry))) >>> 31;
}

/** @param {ByteSource} source @returns {[number, number]} */
function takePair(source) {
  const bytes = source.take(8);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const high = view.getUint32(0);
  const low = view.getUint32(4);
  bytes.fill(0);
  return [high, low];
}
