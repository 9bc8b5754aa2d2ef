/**
 * What a device remembers: one entry for each survey that it answered.
 *
 * An entry is the queue and the ledger at once: the bytes that are still to be sent, and the epsilon that they cost.
 * The laws here: a survey (its publisher's key and its name) has one entry for ever; an entry holds draws, never
 * answers; its bytes are deleted as soon as nobody needs them.
 *
 * @typedef {"queued" | "accepted" | "duplicate" | "rejected"} Status
 *
 * @typedef {object} Entry
 * @property {string} key the publisher's key
 * @property {string} survey
 * @property {string} manifest the manifest's id
 * @property {string} epsilon what the report costs, as a decimal text
 * @property {string} id the report's id
 * @property {string | null} body the report's bytes while they are still to be sent
 * @property {Status} status
 * @property {string | null} problem the type of the problem that the server named
 * @property {number} notBefore the time (in ms) before which the server asked not to be tried again
 *
 * @typedef {object} State
 * @property {() => Promise<readonly Entry[]>} read give all entries
 * @property {(change: (entries: readonly Entry[]) => Entry) => Promise<Entry>} update give all entries to `change`
 *   and keep, durably, the entry that it returns; if it throws, keep nothing. Read and write are ONE atomic step,
 *   also between tabs or processes that share the state.
 */

/**
 * Put an entry in the place of the earlier one of its survey.
 * @param {readonly Entry[]} entries @param {Entry} entry
 * @returns {readonly Entry[]}
 */
export function replace(entries, entry) {
  const others = entries.filter(({ key, survey }) => key !== entry.key || survey !== entry.survey);
  return [...others, Object.freeze({ ...entry })];
}

/** A state that lasts as long as the object. @implements {State} */
export class MemoryState {
  /** @type {readonly Entry[]} */
  #entries = [];

  /** Give all entries. */
  async read() {
    return this.#entries;
  }

  /**
   * Keep the entry that `change` makes of all entries.
   * @param {(entries: readonly Entry[]) => Entry} change
   */
  async update(change) {
    const entry = change(this.#entries);
    this.#entries = replace(this.#entries, entry);
    return entry;
  }
}
