/** A state in IndexedDB: kept when the page is closed, shared by the tabs of one origin. */
import { StateFailed } from "./errors.js";

/** @import * as T from "./types.js" */

/** @implements {T.State} */
export class IndexedDBState {
  #name;

  constructor(name = "hushpoll") {
    this.#name = name;
  }

  async read() {
    const { entries } = await this.#run("readonly", () => null);
    return entries;
  }

  /** @type {T.State["update"]} */
  async update(change) {
    const { entry } = await this.#run("readwrite", change);
    return /** @type {T.Entry} */ (entry);
  }

  /** Read all entries and keep one, in one transaction that is on the disk when it ends. @type {T.Run} */
  async #run(mode, change) {
    let entry = null;
    /** @type {unknown} */
    let refusal = new StateFailed("this browser cannot keep a report, so none is sent: allow it to store data");
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
          entry = change(reading.result);
          if (entry) store.put(entry);
        } catch (error) {
          refusal = error;
          transaction.abort();
        }
      };
      await happens(transaction, "complete");
      return { entries: reading.result, entry };
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
