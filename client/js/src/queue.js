/** @file Reports on their way: kept, then sent; one for each survey of a publisher, for ever. */
import { AlreadyAnswered, ManifestRefused } from "./errors.js";
import { LONGEST_WAIT, post } from "./http.js";
import { SecureBytes } from "./randomness.js";

/** Up to twice as long, in ms: devices do not all come back together. @param {number} seconds */
export function spread(seconds) {
  const [chance] = new SecureBytes().take(1);
  return seconds * (1000 + 3.9 * chance);
}

/** @type {T.OpenQueue} */
export function openQueue(server, key, state, now = Date.now) {
  const inFlight = new Map();
  return { find, earlier, submit, send, receipt };

  /** @type {T.Queue["find"]} @remarks Whatever the key: a second draw of the same questions would spend epsilon again. */
  function find(entries, survey, manifest) {
    const isNamed = (/** @type {T.Entry} */ entry) => entry.survey === survey && (server.isSole || entry.key === key);
    const reports = entries.filter(({ id }) => id);
    return reports.find((entry) => entry.manifest === manifest) ?? reports.find(isNamed);
  }

  /** @type {T.Queue["earlier"]} */
  async function earlier({ survey, id }) {
    const entry = find(await state.read(), survey, id);
    if (!entry || entry.manifest === id) return entry;
    throw new ManifestRefused(`${survey} was changed after it was answered here`);
  }

  /** @type {T.Queue["submit"]} */
  async function submit({ survey, manifest, id, body, charge }, notBefore = 0) {
    const entry = await state.update((entries) => {
      const found = find(entries, survey, manifest);
      if (found?.id === id) return found;
      if (found) throw new AlreadyAnswered("each respondent needs a state of their own");
      const status = notBefore ? "held" : "queued";
      return { key, survey, manifest, ...charge(entries), id, body, status, problem: null, notBefore };
    });
    return send(entry);
  }

  /** @type {T.Queue["send"]} */
  async function send(entry) {
    const { id, body } = entry;
    const made = receipt(entry);
    if (!body || made.retryAfter) return made;
    const sending = inFlight.get(id) ?? sendNow(entry).finally(() => inFlight.delete(id));
    inFlight.set(id, sending);
    return sending;
  }

  /** @param {T.Entry} entry */
  async function sendNow({ body, ...entry }) {
    const { wait, ...outcome } = await post(server, entry.survey, body);
    const notBefore = wait && now() + spread(wait);
    const sent = { ...entry, ...outcome, notBefore, body: outcome.status === "queued" ? body : null };
    /** @remarks Another tab may have sent it: the first answer stands. */
    const kept = state.update((entries) => entries.find(({ id, body }) => id === sent.id && !body) ?? sent);
    /** @remarks If that fails, it was sent all the same: on the next visit the same bytes go out again. */
    return receipt(await kept.catch(() => sent));
  }

  /** @type {T.Queue["receipt"]} */
  function receipt({ status, survey, id, problem, body, notBefore }) {
    const wait = Math.ceil((notBefore - now()) / 1000);
    /** @remarks Longer than any that was ever set: the clock was turned back. */
    const retryAfter = body && wait > 0 && wait <= 2 * LONGEST_WAIT && wait;
    return { status, survey, id, ...(problem && { problem }), ...(retryAfter && { retryAfter }) };
  }
}
