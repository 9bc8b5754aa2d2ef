/** The queue of reports: stored, then sent; one for each survey of a publisher, for ever. */
import { AlreadyAnswered, ManifestRefused } from "./errors.js";
import { LONGEST_WAIT, post } from "./http.js";
import { SecureBytes } from "./randomness.js";

/** @import { Entry, Queue, Receipt, Server, State } from "./types.js" */

/** Return a random time from these seconds to twice as long, in ms. @param {number} seconds */
export function randomizedWait(seconds) {
  return seconds * (1000 + 3.9 * new SecureBytes().take(1)[0]);
}

/**
 * Open the queue of one device for one server and the surveys of one publisher.
 * @param {Server} server @param {string} key @param {State} state @param {() => number} [now] @returns {Queue}
 */
export function openQueue(server, key, state, now = Date.now) {
  /** @type {Map<string, Promise<Receipt>>} by the ids of reports */
  const inFlight = new Map();
  return { find, earlier, submit, send, receipt };

  // By the manifest's id under any key: a second draw of the same questions would spend epsilon again.
  /** @type {Queue["find"]} */
  function find(entries, survey, manifest) {
    const isNamed = (/** @type {Entry} */ entry) => entry.survey === survey && (server.isSole || entry.key === key);
    const reports = entries.filter(({ id }) => id);
    return reports.find((entry) => entry.manifest === manifest) ?? reports.find(isNamed);
  }

  /** @type {Queue["earlier"]} */
  async function earlier({ survey, id }) {
    const entry = find(await state.read(), survey, id);
    if (!entry || entry.manifest === id) return entry;
    throw new ManifestRefused(`${survey} changed after it was answered here`);
  }

  /** @type {Queue["submit"]} */
  async function submit({ survey, manifest, id, body, charge }, notBefore = 0) {
    const entry = await state.update((entries) => {
      const answered = find(entries, survey, manifest);
      if (answered?.id === id) return answered;
      if (answered) throw new AlreadyAnswered();
      const status = notBefore ? "held" : "queued";
      return { key, survey, manifest, ...charge(entries), id, body, status, problem: null, notBefore };
    });
    return send(entry);
  }

  /** @type {Queue["send"]} */
  async function send(entry) {
    const { id, body } = entry;
    const current = receipt(entry);
    if (!body || current.retryAfter) return current;
    const sending = inFlight.get(id) ?? sendNow(entry).finally(() => inFlight.delete(id));
    inFlight.set(id, sending);
    return sending;
  }

  /** @param {Entry} entry */
  async function sendNow({ body, ...entry }) {
    const { wait, ...outcome } = await post(server, entry.survey, body);
    const notBefore = wait && now() + randomizedWait(wait);
    const sent = { ...entry, ...outcome, notBefore, body: outcome.status === "queued" ? body : null };
    // The number of a report that was counted would only link this device to a row of the server.
    if (server.isForgetful && !sent.body) sent.id = "-";
    const updating = state.update((entries) => {
      // Another tab may have sent it: the first response counts.
      const stored = find(entries, sent.survey, sent.manifest);
      return stored?.body === null ? stored : sent;
    });
    // If this fails, the report was sent nevertheless: on the next visit the same bytes are sent again.
    return receipt(await updating.catch(() => sent));
  }

  /** @type {Queue["receipt"]} */
  function receipt({ status, survey, id, problem, body, notBefore }) {
    const wait = Math.ceil((notBefore - now()) / 1000);
    // A wait longer than any that is ever set means that the clock was set back.
    const retryAfter = body && wait > 0 && wait <= 2 * LONGEST_WAIT && wait;
    return { status, survey, id, ...(problem && { problem }), ...(retryAfter && { retryAfter }) };
  }
}
