/** A state in IndexedDB: kept when the page is closed, shared by the tabs of one origin. */
import { StateFailed } from "./errors.js";

/** @import { Entry, State } from "./types.js" */

/** @implements {State} */
export class IndexedDBState {
  #name;
  /** @type {IDBDatabase | undefined} */
  #database;

  constructor(name = "hushpoll") {
    this.#name = name;
  }

  async read() {
    return this.#run("readonly", () => undefined);
  }

  /** @param {(entries: readonly Entry[]) => Entry} change */
  async update(change) {
    /** @type {Entry | undefined} */
    let entry;
    await this.#run("readwrite", (entries) => {
      entry = change(entries);
      return entry;
    });
    return /** @type {Entry} */ (/** @type {unknown} */ (entry));
  }

  /**
   * Read all entries and keep one, in one transaction that is on the disk when it ends.
   * @param {IDBTransactionMode} mode @param {(entries: Entry[]) => Entry | undefined} change
   * @returns {Promise<readonly Entry[]>}
   */
  async #run(mode, change) {
    const database = await this.#open();
    return new Promise((resolve, reject) => {
      /** @type {unknown} */
      let refusal = new StateFailed("the browser could not keep the report, so it was not sent: free some space");
      const transaction = database.transaction("entries", mode, { durability: "strict" });
      const store = transaction.objectStore("entries");
      const request = store.getAll();
      request.onsuccess = () => {
        try {
          const entry = change(request.result);
          if (entry) store.put(entry);
        } catch (error) {
          refusal = error;
          transaction.abort();
        }
      };
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(refusal);
    });
  }

  async #open() {
    if (this.#database) return this.#database;
    const database = await open(this.#name);
    const forget = () => {
      database.close();
      this.#database = undefined;
    };
    // Another tab deletes or upgrades the database: do not stand in its way.
    database.onversionchange = forget;
    database.onclose = forget;
    this.#database = database;
    return database;
  }
}

/** @param {string} name @returns {Promise<IDBDatabase>} */
async function open(name) {
  try {
    return await new Promise((resolve, reject) => {
      const request = indexedDB.open(name, 1);
      request.onupgradeneeded = () => request.result.createObjectStore("entries", { keyPath: ["key", "survey"] });
      request.onsuccess = () => resolve(request.result);
      request.onerror = reject;
    });
  } catch {
    throw new StateFailed("this browser keeps no data for this page: leave private browsing or free some space");
  }
}
