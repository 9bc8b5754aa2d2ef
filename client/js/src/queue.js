/**
 * The queue: keep a report, then send it, and settle what became of it.
 *
 * A report is in the state before its first byte goes out; every retry sends the same bytes. It leaves the queue only
 * when the collector itself says so: what a proxy answers in its place means "not yet".
 */
import { AlreadyAnswered, HushpollError, ManifestRefused, ServerUnreachable } from "./errors.js";
import { parse } from "./json.js";
import { SecureBytes, uniform } from "./randomness.js";

/** @import * as T from "./types.js" */

/** The longest wait, in seconds, that a server may ask for. */
const LONGEST_WAIT = 24 * 60 * 60;

/** What one device owes to one server for the surveys of one publisher. */
export class Queue {
  #server;
  #key;
  #state;
  #now;
  /** @type {Map<string, Promise<T.Receipt>>} */
  #inFlight = new Map();

  /** @param {T.Server} server @param {string} key @param {T.State} state */
  constructor(server, key, state, now = Date.now) {
    this.#server = server;
    this.#key = key;
    this.#state = state;
    this.#now = now;
  }

  /** Give the entry of a survey if it was answered here; refuse a manifest that was changed since. @type {T.Earlier} */
  async earlier({ survey, id }) {
    const entry = this.find(await this.#state.read(), survey);
    if (!entry || entry.manifest === id) return entry;
    throw new ManifestRefused(`the survey ${survey} was changed after it was answered here: ask the publisher why`);
  }

  /** Keep a report, if `allow` lets it, and send it. @type {T.Submit} */
  async submit({ survey, manifest, id, body }, epsilon, allow) {
    const entry = await this.#state.update((entries) => {
      const earlier = this.find(entries, survey);
      if (earlier?.id === id) return earlier;
      if (earlier) throw new AlreadyAnswered(`${survey} was answered: each respondent needs a state of their own`);
      allow?.(entries);
      const cost = String(epsilon);
      return {
        key: this.#key,
        survey,
        manifest,
        epsilon: cost,
        id,
        body,
        status: "queued",
        problem: null,
        notBefore: 0,
      };
    });
    return this.send(entry);
  }

  /** Send an entry, unless that is done, under way or too early. @param {T.Entry} entry */
  async send(entry) {
    const { id, body } = entry;
    if (body === null || this.#waitOf(entry)) return this.receipt(entry);
    const sending = this.#inFlight.get(id) ?? this.#sendNow(entry, body).finally(() => this.#inFlight.delete(id));
    this.#inFlight.set(id, sending);
    return sending;
  }

  /** @type {T.Find} */
  find(entries, name) {
    return entries.find(({ key, survey }) => key === this.#key && survey === name);
  }

  /** @type {T.ReceiptOf} */
  receipt(entry) {
    const { status, survey, id, problem } = entry;
    const retryAfter = this.#waitOf(entry);
    return Object.freeze({ status, survey, id, ...(problem && { problem }), ...(retryAfter && { retryAfter }) });
  }

  /** @param {T.Entry} entry @param {string} body */
  async #sendNow(entry, body) {
    const { wait, ...outcome } = await post(this.#server, entry.survey, body);
    // Up to a quarter more, by chance: devices that were sent away together do not come back together.
    const jitter = wait && Number(uniform(new SecureBytes(), BigInt(wait * 250)));
    const notBefore = wait && this.#now() + wait * 1000 + jitter;
    const sent = { ...entry, ...outcome, notBefore, body: outcome.status === "queued" ? body : null };
    const kept = await this.#state.update((entries) => {
      const current = this.find(entries, entry.survey);
      // Another tab may have sent the same bytes: the first answer stands.
      return current?.body === null ? current : sent;
    });
    return this.receipt(kept);
  }

  /** @param {T.Entry} entry */
  #waitOf({ body, notBefore }) {
    const wait = Math.max(0, Math.ceil((notBefore - this.#now()) / 1000));
    // A wait longer than any that was ever set means that the clock was turned back.
    return body === null || wait > 2 * LONGEST_WAIT ? 0 : wait;
  }
}

/** Call the server without cookies, referrer, cache or redirects, and read at most so many bytes. @type {T.Call} */
export async function call({ url, fetch = globalThis.fetch, timeout = 30_000 }, path, most, request) {
  const signal = AbortSignal.timeout(timeout);
  const careful = { credentials: "omit", redirect: "error", referrerPolicy: "no-referrer", cache: "no-store" };
  try {
    const init = /** @type {RequestInit} */ ({ ...request, ...careful, signal });
    const response = await fetch(`${url}/api/v1/surveys/${path}`, init);
    return { response, body: await readBody(response, most) };
  } catch (error) {
    if (error instanceof HushpollError) throw error;
    throw new ServerUnreachable("the server cannot be reached: check its address and the network, then try again");
  }
}

/** Tell a refusal from "later" (request timeout, too early, too many requests). @param {Response} response */
export function isRefusal({ status }) {
  return status >= 400 && status < 500 && ![408, 425, 429].includes(status);
}

/** @param {Response} response @param {number} most */
async function readBody({ body }, most) {
  const chunks = [];
  const reader = body?.getReader();
  for (let size = 0, part = await reader?.read(); part?.value; part = await reader?.read()) {
    size += part.value.length;
    chunks.push(part.value);
    if (size <= most) continue;
    await reader?.cancel();
    throw new ServerUnreachable("the server sent more than belongs here: check its address");
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** @type {T.Post} */
async function post(server, survey, report) {
  const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: report };
  try {
    const { response, body } = await call(server, `${survey}/reports`, 65_536, request);
    return judge(response, readFields(body));
  } catch (error) {
    if (!(error instanceof ServerUnreachable)) throw error;
    return { status: "queued", problem: null, wait: 0 };
  }
}

/** @param {Uint8Array} body @returns {Record<string, unknown>} */
function readFields(body) {
  try {
    return Object(parse(body));
  } catch {
    return {};
  }
}

/** @type {T.Judge} */
function judge(response, { status, type }) {
  const isTaken = { 201: "accepted", 200: "duplicate" }[response.status] === status;
  if (isTaken && (status === "accepted" || status === "duplicate")) return { status, problem: null, wait: 0 };
  const problem = typeof type === "string" && /^urn:hushpoll:problem:[a-z-]{1,64}$/.test(type) ? type : null;
  const isFinal = isRefusal(response) && problem !== null && !problem.endsWith(":survey-not-open");
  // Seconds only: a date would be read by this device's clock, which may be wrong by years.
  const [seconds = "0"] = /^\d{1,9}$/.exec(response.headers.get("Retry-After") ?? "") ?? [];
  return { status: isFinal ? "rejected" : "queued", problem, wait: Math.min(Number(seconds), LONGEST_WAIT) };
}
