/** How often a call tries a server that does not ask for time, and how long it pauses in between. */
import { isWhole } from "./checks.js";
import { need } from "./errors.js";
import { LONGEST_WAIT } from "./http.js";
import { randomizedWait } from "./queue.js";

/** @import { RetryOptions } from "./types.js" */

const LONGEST_PAUSE = 1000 * LONGEST_WAIT;

export class Retry {
  /** @param {RetryOptions} [options] */
  constructor(options) {
    const { attempts = 1, firstPause = 1000, longestPause = 64_000 } = Object(options);
    need(isWhole(attempts, 1, 1000), "retry.attempts must be a whole number from 1 to 1000");
    const isInOrder = firstPause >= 1 && firstPause <= longestPause && longestPause <= LONGEST_PAUSE;
    need(isInOrder, `the pauses of retry must be from 1 to ${LONGEST_PAUSE} ms, and longestPause not below firstPause`);
    this.attempts = attempts;
    this.firstPause = firstPause;
    this.longestPause = longestPause;
  }

  /** Yield pauses in ms without end, each about twice the one before. */
  *pauses() {
    for (let ms = this.firstPause; ; ms = Math.min(2 * ms, this.longestPause)) yield randomizedWait(ms / 1000);
  }

  /** Yield one pause fewer than there are attempts. */
  *between() {
    let left = this.attempts;
    for (const pause of this.pauses()) {
      left -= 1;
      if (left === 0) return;
      yield pause;
    }
  }
}

/** @param {number} ms @returns {Promise<void>} */
export function pauseFor(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
