/**
 * What an app can log about a client's work.
 *
 * The rule here: an event has no place for an answer, a draw or the id of a report. A log of them says that a device
 * took part, and when; it cannot be joined with the stored reports.
 */

/** @import { ClientEvent, Entry } from "./types.js" */

/** @type {Readonly<Record<string, ClientEvent["name"]>>} */
const NAMES = { accepted: "sent", duplicate: "sent", queued: "failed", rejected: "refused" };

/** The events of one client: errors of the app's own function stop no report. */
export class Events {
  #onEvent;

  /** @param {((event: ClientEvent) => void) | undefined} onEvent */
  constructor(onEvent) {
    this.#onEvent = onEvent;
  }

  /** @param {ClientEvent["name"]} name @param {string} survey @param {Partial<ClientEvent>} [more] */
  tell(name, survey, { status = null, problem = null } = {}) {
    try {
      this.#onEvent?.(Object.freeze({ name, survey, status, problem }));
    } catch (error) {
      // Browsers show it in their console; Node has no such place.
      globalThis.reportError?.(error);
    }
  }

  /** Tell what was recorded about a report. @param {Entry} entry @param {boolean} isNew stored, and not yet sent */
  record({ survey, status, problem }, isNew) {
    this.tell(isNew ? "queued" : NAMES[status], survey, { status, problem });
  }
}
