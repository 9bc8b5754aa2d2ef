/**
 * The reports that a device still has to send to one server: an app may have several, the page has one.
 *
 * The rules here: a server that asked for time is left alone by every report, not only by the one that it refused;
 * nothing waits here unless the app asks for it; reports are not sent together, because those that are can be linked to
 * one device.
 */

import { SecureBytes, uniform } from "./randomness.js";
import { pauseFor, Retry } from "./retry.js";

/** @import { ByteSource, Entry, Options, Queue, Receipt, State } from "./types.js" */

// Reports that wait together are spread over this time, in ms.
const SPREAD = 3_600_000;

/** The reports that a device still has to send to one server, for the surveys of one publisher. */
export class Outbox {
  #queue;
  #key;
  #state;
  #now;
  #sleep;
  #source;
  #retry;

  /**
   * @param {Queue} queue @param {string} key @param {State} state
   * @param {Pick<Options, "now" | "sleep"> & { source?: ByteSource, retry?: Retry }} options
   */
  constructor(queue, key, state, options) {
    const { now = Date.now, sleep = pauseFor, source = new SecureBytes(), retry = new Retry() } = options;
    this.#queue = queue;
    this.#key = key;
    this.#state = state;
    this.#now = now;
    this.#sleep = sleep;
    this.#source = source;
    this.#retry = retry;
  }

  /**
   * Return an entry that waits as long as the server asked for, whichever report it asked about.
   * @param {readonly Entry[]} entries @param {Entry} entry
   */
  rested(entries, entry) {
    const mine = [...entries.filter(({ key, survey }) => key === this.#key && survey !== entry.survey), entry];
    const waiting = mine.filter((each) => this.#queue.receipt(each).retryAfter);
    if (entry.body === null || waiting.length === 0) return entry;
    return { ...entry, notBefore: Math.max(...waiting.map(({ notBefore }) => notBefore)) };
  }

  /** Return the receipt of an entry. @param {readonly Entry[]} entries @param {Entry} entry */
  receipt(entries, entry) {
    const { notBefore, ...rested } = this.rested(entries, entry);
    return this.#queue.receipt({ ...rested, notBefore: Math.max(notBefore, this.#now() + this.#turnOf(entry)) });
  }

  /**
   * Send what is queued, one report at a time; try again as long as the pauses fit into `waitSeconds`.
   * @param {number} waitSeconds @param {boolean} isTogether send all at once
   */
  async flush(waitSeconds, isTogether) {
    /** @type {Map<string, Receipt>} by survey */
    const receipts = new Map();
    let left = waitSeconds * 1000;
    for (const usual of this.#retry.pauses()) {
      const sent = await (isTogether ? this.#sendAll() : this.#sendOne());
      for (const receipt of sent) receipts.set(receipt.survey, receipt);
      const owed = await this.#owed();
      const pause = this.#pauseOf(owed, isTogether) || usual;
      if (owed.length === 0 || !(pause <= left)) break;
      left -= pause;
      await this.#sleep(pause);
    }
    return this.#latest(receipts);
  }

  /**
   * Schedule every other report that could be sent now for a time of its own.
   * @param {string} sent the id of the report that is sent
   */
  async postpone(sent) {
    const owed = await this.#owed();
    if (this.#isAsked(owed)) return;
    for (const { id } of owed.filter((entry) => entry.id !== sent && !this.#turnOf(entry))) {
      const due = this.#now() + 1 + Number(uniform(this.#source, SPREAD));
      await this.#state.update((entries) => {
        const [entry] = entries.filter((each) => each.id === id);
        return entry.body === null ? entry : { ...entry, due };
      });
    }
  }

  /** Send one of the reports whose turn it is, drawn at random; the others wait for theirs. */
  async #sendOne() {
    const owed = await this.#owed();
    const ready = owed.filter((entry) => !this.#turnOf(entry));
    if (this.#isAsked(owed) || ready.length === 0) return owed.map((entry) => this.#queue.receipt(entry));
    const chosen = ready[Number(uniform(this.#source, ready.length))];
    await this.postpone(chosen.id);
    const sent = await this.#queue.send(chosen);
    return owed.map((entry) => (entry === chosen ? sent : this.#queue.receipt(entry)));
  }

  /** Send all, the first report alone: if the server asks for time, the others need not be sent. */
  async #sendAll() {
    const [first] = await this.#owed();
    if (!first) return [];
    const sent = await this.#queue.send(first);
    const others = (await this.#owed()).filter(({ id }) => id !== first.id);
    return [sent, ...(await Promise.all(others.map((entry) => this.#queue.send(entry))))];
  }

  /** Return whether the server asked for time that is not over. @param {readonly Entry[]} owed */
  #isAsked(owed) {
    return owed.some((entry) => this.#queue.receipt(entry).retryAfter);
  }

  async #owed() {
    const entries = await this.#state.read();
    const owed = entries.filter(({ key, body }) => key === this.#key && body !== null);
    return owed.map((entry) => this.rested(entries, entry));
  }

  /**
   * Return the ms until something may be sent; 0 if that is now.
   * @param {readonly Entry[]} owed @param {boolean} isTogether
   */
  #pauseOf(owed, isTogether) {
    const rests = owed.map((entry) => (this.#queue.receipt(entry).retryAfter ? entry.notBefore - this.#now() : 0));
    const turns = isTogether ? [] : owed.map((entry) => this.#turnOf(entry));
    return Math.max(0, ...rests) || (turns.length && Math.min(...turns));
  }

  /** Return the ms until a report may be sent without the others. @param {Entry} entry */
  #turnOf({ due = 0 }) {
    const wait = due - this.#now();
    // A wait longer than any that is ever set means that the clock was set back.
    return wait > 0 && wait <= SPREAD ? wait : 0;
  }

  /**
   * Return the newest receipts: another client may have sent in the meantime what this one could not.
   * @param {Map<string, Receipt>} receipts by survey
   */
  async #latest(receipts) {
    const entries = await this.#state.read();
    return [...receipts.values()].map((receipt) => {
      const entry = this.#queue.find(entries, receipt.survey);
      return entry && receipt.status === "queued" ? this.receipt(entries, entry) : receipt;
    });
  }
}
