/** Draws among more than two values, by rejection. No page loads this before a question type needs it. */
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
