/** What a device remembers, one entry for each survey that it answered: see `State` and `Entry` in types.d.ts. */

/** @import { Entry, State } from "./types.js" */

/**
 * Return the entries with this one in place of the earlier one of its survey.
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
   * Store the entry that `change` makes from all entries.
   * @param {(entries: readonly Entry[]) => Entry} change
   */
  async update(change) {
    const entry = change(this.#entries);
    this.#entries = replace(this.#entries, entry);
    return entry;
  }
}
