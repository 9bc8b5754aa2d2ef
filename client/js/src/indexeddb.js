/** A state in IndexedDB: kept when the page is closed, shared by the tabs of one origin. */
import { StateFailed } from "./core.js";

/** @import * as T from "./types.js" */

/** @implements {T.State} */
export class IndexedDBState {
  #name;

  constructor(name = "hushpoll") {
    this.#name = name;
  }

  async read() {
    return this.#run("readonly", (entries) => entries);
  }

  /** @type {T.State["update"]} */
  async update(change) {
    return this.#run("readwrite", (entries, store) => {
      const entry = change(entries);
      store.put(entry);
      return entry;
    });
  }

  /** Work in one transaction that is on the disk when it ends. @type {T.Run} */
  async #run(mode, work) {
    /** @type {any} */
    let result;
    /** @type {unknown} */
    let refusal = new StateFailed("this browser keeps nothing, so nothing is sent: allow it to store data");
    try {
      const opening = indexedDB.open(this.#name, 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore("entries", { keyPath: ["key", "survey"] });
      await happens(opening, "success");
      const transaction = opening.result.transaction("entries", mode, { durability: "strict" });
      // It closes after the transaction: no tab stands in the way of another one.
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
      await happens(transaction, "complete");
      return result;
    } catch {
      throw refusal;
    }
  }
}

/** @param {EventTarget} target @param {string} event */
function happens(target, event) {
  return new Promise((resolve, reject) => {
    target.addEventListener(event, resolve);
    target.addEventListener("error", reject);
    target.addEventListener("abort", reject);
  });
}
