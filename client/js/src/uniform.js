/** Draws among more than two values, by rejection. No page loads this before a question needs it. */
import { need, SPAN, takePair } from "./core.js";

/** @import { ByteSource } from "./types.js" */

/** Draw an integer below 2^64. @param {ByteSource} source */
export function u64(source) {
  const [high, low] = takePair(source);
  return (BigInt(high) << 32n) | BigInt(low);
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

/**
 * Draw `count` different ones of 0 … size − 1, in random order: the first places of a Fisher–Yates shuffle.
 *
 * The choice among one that is left takes no bytes.
 * @param {ByteSource} source @param {number} size @param {number} count
 */
export function choose(source, size, count) {
  need(count >= 0 && count <= size, "no more can be chosen than there are");
  /** @type {Map<number, number>} only the places that were exchanged */
  const moved = new Map();
  const chosen = [];
  for (let place = 0; place < count; place += 1) {
    const other = place + (size - place > 1 ? Number(uniform(source, BigInt(size - place))) : 0);
    chosen.push(moved.get(other) ?? other);
    moved.set(other, moved.get(place) ?? place);
  }
  return chosen;
}
