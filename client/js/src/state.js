/** What a device remembers, one entry for each survey that it answered: see `State` and `Entry` in types.d.ts. */

/** @import { Entry, State } from "./types.js" */

/**
 * Put an entry in the place of the earlier one of its survey.
 * @param {readonly Entry[]} entries @param {Entry} entry
 */
export function replace(entries, entry) {
  return [...entries.filter(({ key, survey }) => key !== entry.key || survey !== entry.survey), entry];
}

/**
 * A state that lasts as long as the object.
 * @implements {State}
 */
export class MemoryState {
  /** @type {readonly Entry[]} */
  #entries = [];

  /** Return all entries. */
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
