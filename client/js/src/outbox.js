/**
 * All that a device owes to one server: an app may have several reports on their way, the page has one.
 *
 * The laws here: a server that asked for time is left alone by every report, not only by the one that it refused;
 * nothing waits here unless the app asks for it.
 */

import { spread } from "./queue.js";

/** @import { Entry, Options, Queue, Receipt, State } from "./types.js" */

// A server that says nothing is tried after a second, then after twice as long each time, up to this.
const LONGEST_PAUSE = 64;

/** What one device owes to one server for the surveys of one publisher. */
export class Outbox {
  #queue;
  #key;
  #state;
  #now;
  #sleep;

  /** @param {Queue} queue @param {string} key @param {State} state @param {Pick<Options, "now" | "sleep">} options */
  constructor(queue, key, state, { now = Date.now, sleep = pauseFor }) {
    this.#queue = queue;
    this.#key = key;
    this.#state = state;
    this.#now = now;
    this.#sleep = sleep;
  }

  /**
   * Let an entry wait as long as the server asked for, whichever report it was about.
   * @param {readonly Entry[]} entries @param {Entry} entry
   */
  rested(entries, entry) {
    const mine = [...entries.filter(({ key, survey }) => key === this.#key && survey !== entry.survey), entry];
    const waiting = mine.filter((each) => this.#queue.receipt(each).retryAfter);
    if (entry.body === null || waiting.length === 0) return entry;
    return { ...entry, notBefore: Math.max(...waiting.map(({ notBefore }) => notBefore)) };
  }

  /**
   * Send all that is owed and due; try again as long as the pauses fit into `patience` seconds.
   * @param {number} patience
   */
  async flush(patience) {
    /** @type {Map<string, Receipt>} by survey */
    const made = new Map();
    for (let left = patience * 1000, seconds = 1; ; seconds = Math.min(2 * seconds, LONGEST_PAUSE)) {
      for (const receipt of await this.#sendAll()) made.set(receipt.survey, receipt);
      const owed = await this.#owed();
      const pause = Math.max(0, ...owed.map((entry) => this.#pauseOf(entry))) || spread(seconds);
      if (owed.length === 0 || !(pause <= left)) break;
      left -= pause;
      await this.#sleep(pause);
    }
    return this.#latest(made);
  }

  /** Send what is due, the first report alone: if the server asks for time, the others need not hear it too. */
  async #sendAll() {
    const [first] = await this.#owed();
    if (!first) return [];
    const made = await this.#queue.send(first);
    const others = (await this.#owed()).filter(({ id }) => id !== first.id);
    return [made, ...(await Promise.all(others.map((entry) => this.#queue.send(entry))))];
  }

  async #owed() {
    const entries = await this.#state.read();
    const owed = entries.filter(({ key, body }) => key === this.#key && body !== null);
    return owed.map((entry) => this.rested(entries, entry));
  }

  /** @param {Entry} entry */
  #pauseOf(entry) {
    return this.#queue.receipt(entry).retryAfter ? entry.notBefore - this.#now() : 0;
  }

  /** Another client may have sent in the meantime what this one could not. @param {Map<string, Receipt>} made */
  async #latest(made) {
    const entries = await this.#state.read();
    return [...made.values()].map((receipt) => {
      const entry = this.#queue.find(entries, receipt.survey);
      return entry && receipt.status === "queued" ? this.#queue.receipt(this.rested(entries, entry)) : receipt;
    });
  }
}

/** @param {number} ms @returns {Promise<void>} */
function pauseFor(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
