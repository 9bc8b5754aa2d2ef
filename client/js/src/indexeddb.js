/**
 * A state in the browser's IndexedDB: shared by the tabs of one origin, kept when the page is closed.
 *
 * Every change is one transaction, and the browser is asked to put it on the disk before it says that it is done.
 */
import { StateFailed } from "./errors.js";

/** @typedef {import("./state.js").Entry} Entry */
/** @typedef {import("./state.js").State} State */

const STORE = "entries";

/**
 * A state that tabs of one origin share.
 * @implements {State}
 */
export class IndexedDBState {
  #name;
  /** @type {Promise<IDBDatabase> | undefined} */
  #database;

  /** @param {string} name of the database */
  constructor(name = "hushpoll") {
    this.#name = name;
  }

  /** Give all entries. @returns {Promise<readonly Entry[]>} */
  async read() {
    const transaction = (await this.#open()).transaction(STORE);
    const request = transaction.objectStore(STORE).getAll();
    return settled(transaction, () => request.result);
  }

  /**
   * Keep the entry that `change` makes of all entries.
   * @param {(entries: readonly Entry[]) => Entry} change
   */
  async update(change) {
    const transaction = (await this.#open()).transaction(STORE, "readwrite", { durability: "strict" });
    const store = transaction.objectStore(STORE);
    const request = store.getAll();
    /** @type {{ entry?: Entry, refusal?: unknown }} */
    const outcome = {};
    request.onsuccess = () => {
      try {
        outcome.entry = change(request.result);
        store.put(outcome.entry);
      } catch (refusal) {
        outcome.refusal = refusal;
        transaction.abort();
      }
    };
    await settled(transaction, () => {}, outcome);
    return /** @type {Entry} */ (outcome.entry);
  }

  #open() {
    this.#database ??= open(this.#name, () => {
      this.#database = undefined;
    });
    return this.#database;
  }
}

/**
 * @param {string} name @param {() => void} forget called when the database is not open, or no longer
 * @returns {Promise<IDBDatabase>}
 */
async function open(name, forget) {
  try {
    const database = await opened(name);
    // Another tab deletes or upgrades the database: do not stand in its way.
    database.onversionchange = () => {
      database.close();
      forget();
    };
    database.onclose = forget;
    return database;
  } catch {
    forget();
    throw new StateFailed("this browser keeps no data for this page: leave private browsing or free some space");
  }
}

/** @param {string} name @returns {Promise<IDBDatabase>} */
function opened(name) {
  return new Promise((resolve, reject) => {
    const request = globalThis.indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: ["key", "survey"] });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * Wait for the end of a transaction.
 * @template T
 * @param {IDBTransaction} transaction @param {() => T} result @param {{ refusal?: unknown }} outcome
 * @returns {Promise<T>}
 */
function settled(transaction, result, outcome = {}) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(result());
    transaction.onabort = () => {
      const failed = new StateFailed("the browser could not keep the report, so it was not sent: free some space");
      reject(outcome.refusal ?? failed);
    };
  });
}
