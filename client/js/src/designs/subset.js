/**
 * Subset selection: report a set of `picks` of the `size` categories; sets that contain the truth weigh E, the others 1.
 *
 * With one pick it is k-ary randomized response. No branch depends on the coin or the answer.
 */
import { bernoulli, checkThreshold, need, readFields } from "../core.js";
import { choose } from "../uniform.js";
import { TwoWeights } from "./two_weights.js";
import { checkSize, indexWidth, isBelow, writeIndex } from "./wire.js";

/** @import { ByteSource } from "../types.js" */

const LARGEST = 2048;

export class Subset extends TwoWeights {
  /** @param {number} size @param {number} picks @param {bigint} threshold */
  constructor(size, picks, threshold) {
    need(picks < size, "a set must leave something out");
    super(threshold, picks, size - picks);
    this.size = size;
    this.picks = picks;
    Object.freeze(this);
  }

  /** @param {unknown} fields */
  static read(fields) {
    const { size, picks, threshold, ...claims } = readFields(fields, "subset", "size,picks,threshold");
    const sizes = [checkSize(size, 2, LARGEST), checkSize(picks, 1, LARGEST)];
    return new Subset(sizes[0], sizes[1], checkThreshold(threshold)).check(claims);
  }

  get blank() {
    return "-".repeat(this.picks === 1 ? indexWidth(this.size - 1) : 2 * Math.ceil(this.size / 8));
  }

  /** @param {ByteSource} source @param {number} code */
  draw(source, code) {
    const members = this.choose(source, code);
    return this.picks === 1 ? writeIndex(members[0], this.size - 1) : writeMask(members, this.size);
  }

  /** Draw the members of the set: others than the truth, the last of which gives way to it. @param {ByteSource} source @param {number} code */
  choose(source, code) {
    const keep = bernoulli(source, this.threshold);
    // The others are numbered without the truth: those from it on are one further.
    const members = choose(source, this.size - 1, this.picks).map((other) => other + 1 - isBelow(other, code));
    const last = this.picks - 1;
    members[last] += keep * (code - members[last]);
    return members;
  }
}

/** Category v is bit 7 − v mod 8 of byte ⌊v/8⌋. @param {readonly number[]} members @param {number} size */
function writeMask(members, size) {
  const bytes = new Uint8Array(Math.ceil(size / 8));
  for (const member of members) bytes[member >> 3] |= 128 >> (member & 7);
  return Array.from(bytes, (byte) => writeIndex(byte, 255)).join("");
}
