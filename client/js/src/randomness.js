/** Draws from secure random bytes: exact, by rejection, each byte used once. */

/** @import { ByteSource } from "./types.js" */

/** The number of 64-bit draws: thresholds are counted out of these. */
export const SPAN = 2n ** 64n;

export class SecureBytes {
  /** @param {number} count @returns {Uint8Array} */
  take(count) {
    return crypto.getRandomValues(new Uint8Array(count));
  }
}

/** Return an integer below 2^64. @param {ByteSource} source */
export function u64(source) {
  const bytes = source.take(8);
  const value = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
  bytes.fill(0);
  return value;
}

/**
 * Return 1 with probability threshold / 2^64, else 0; without a branch.
 * @param {ByteSource} source @param {bigint} threshold
 */
export function bernoulli(source, threshold) {
  return Number(u64(source) < threshold);
}

/**
 * Return one of 0 … size − 1, all equally likely, from one 64-bit number, or as many as the size needs.
 * @param {ByteSource} source @param {number | bigint} size @returns {bigint}
 */
export function uniform(source, size) {
  const count = BigInt(size);
  let [value, span] = [u64(source), SPAN];
  for (; span < count; span *= SPAN) value = value * SPAN + u64(source);
  // How often a draw is thrown away depends on the size alone.
  return value < span - (span % count) ? value % count : uniform(source, count);
}

/**
 * Return different ones of 0 … size − 1, in random order: the first places of a Fisher–Yates shuffle.
 *
 * When only one is left, the choice takes no bytes.
 * @param {ByteSource} source @param {number} size @param {number} count
 */
export function choose(source, size, count) {
  const all = [...Array(size).keys()];
  for (let place = 0; place < count && place < size - 1; place += 1) {
    const other = place + Number(uniform(source, size - place));
    [all[place], all[other]] = [all[other], all[place]];
  }
  return all.slice(0, count);
}
