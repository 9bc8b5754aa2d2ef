/** Sets of some of many: how many there are, and how one is written: its only member, or a mask of whole bytes. */

/** @import { Design } from "./design.js" */

/** Return the number of sets of k out of n. @param {number} n @param {number} k @returns {bigint} */
export function binomial(n, k) {
  let count = 1n;
  for (let i = 0; i < k; i += 1) count = (count * BigInt(n - i)) / BigInt(i + 1);
  return count;
}

/** Return the last of all draws that are sets. @param {number} size @param {number} picks */
export function lastSet(size, picks) {
  return picks === 1 ? size - 1 : 256n ** BigInt(Math.ceil(size / 8)) - 1n;
}

/** Tell whether a set has a member. @param {{ picks: number }} design @param {string} draw @param {number} member */
export function isInSet({ picks }, draw, member) {
  if (picks === 1) return Number.parseInt(draw, 16) === member;
  return (Number.parseInt(draw[member >> 2], 16) & (8 >> (member % 4))) > 0;
}

/** Write a set as a draw. @param {Design} design @param {readonly number[]} members */
export function writeSet(design, members) {
  if (members.length === 1) return design.write(members[0]);
  // The first of all is the highest bit of the mask.
  const highest = design.blank.length * 4 - 1;
  return design.write(members.reduce((mask, member) => mask + 2n ** BigInt(highest - member), 0n));
}
