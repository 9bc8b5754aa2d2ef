/** A state in the browser's IndexedDB: what is stored is on the disk. */
import { StateFailed } from "./errors.js";

/** @import { Entry, State } from "./types.js" */

/** @implements {State} */
export class IndexedDBState {
  /** @returns {Promise<readonly Entry[]>} */
  async read() {
    return transact((entries) => entries);
  }

  /** @param {(entries: readonly Entry[]) => Entry} change */
  async update(change) {
    return transact((entries, store) => {
      const entry = change(entries);
      store.put(entry);
      return entry;
    });
  }

  /** Delete some entries. @param {(entry: Entry) => unknown} isForgotten */
  async forget(isForgotten) {
    return transact((entries, store) => {
      for (const { key, survey } of entries.filter(isForgotten)) store.delete([key, survey]);
    });
  }
}

/**
 * Read and change in one transaction.
 * @template R @param {(entries: Entry[], store: IDBObjectStore) => R} work
 * @returns {Promise<R>}
 */
async function transact(work) {
  /** @type {any} */
  let result;
  /** @type {unknown} */
  let refusal;
  try {
    const opening = indexedDB.open("hushpoll", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("entries", { keyPath: ["key", "survey"] });
    await happens(opening, "onsuccess");
    const transaction = opening.result.transaction("entries", "readwrite", { durability: "strict" });
    // It closes after the transaction.
    opening.result.close();
    const store = transaction.objectStore("entries");
    const reading = store.getAll();
    reading.onsuccess = () => {
      try {
        result = work(reading.result, store);
      } catch (error) {
        refusal = error;
        transaction.abort();
      }
    };
    await happens(transaction, "oncomplete");
    return result;
  } catch (cause) {
    throw refusal ?? new StateFailed("nothing can be kept", { cause });
  }
}

/** @param {IDBRequest | IDBTransaction} target @param {string} event that is waited for, by its handler */
function happens(target, event) {
  return new Promise((resolve, reject) =>
    Object.assign(target, { [event]: resolve, onerror: reject, onabort: reject }),
  );
}
