/** Exact draws, as integers over 2^64: how many bytes are taken and which branches run never depends on an answer. */
import { need, Unsupported } from "./errors.js";

/** @import { ByteSource } from "./types.js" */

export const SPAN = 2n ** 64n;

/** The platform's cryptographic random bytes, fetched a page at a time. */
export class SecureBytes {
  #page = new Uint8Array(0);
  #next = 0;

  /** Hand out a copy of the next bytes and wipe them here. @param {number} count */
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
    if (!globalThis.crypto?.getRandomValues) throw new Unsupported("no secure random source: use a current browser");
    this.#page = crypto.getRandomValues(new Uint8Array(Math.max(4096, count)));
    this.#next = 0;
  }
}

/** Draw an integer below 2^64 from eight bytes, big-endian. @param {ByteSource} source */
export function u64(source) {
  const [high, low] = takePair(source);
  return (BigInt(high) << 32n) | BigInt(low);
}

/** Draw 1 with probability threshold / 2^64, else 0. @param {ByteSource} source @param {bigint} threshold */
export function bernoulli(source, threshold) {
  const [high, low] = takePair(source);
  return borrow(high, Number(threshold >> 32n), borrow(low, Number(threshold & 0xffffffffn), 0));
}

/** Draw one of 0 … size − 1, all equally likely. @param {ByteSource} source @param {bigint} size */
export function uniform(source, size) {
  need(size > 0n && size <= SPAN, "the size of a uniform draw must be between 1 and 2^64");
  // How often a draw is thrown away depends on `size` alone.
  const limit = SPAN - (SPAN % size);
  let value = u64(source);
  while (value >= limit) value = u64(source);
  return value % size;
}

/** Give 1 if x − y − carry < 0 for unsigned 32 bits, else 0. @param {number} x @param {number} y @param {number} carry */
function borrow(x, y, carry) {
  return ((~x & y) | ((~x | y) & (x - y - carry))) >>> 31;
}

/** @param {ByteSource} source */
function takePair(source) {
  const bytes = source.take(8);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const pair = [view.getUint32(0), view.getUint32(4)];
  bytes.fill(0);
  return pair;
}
