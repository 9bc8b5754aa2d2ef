/**
 * How a client talks to its server: two calls, both without cookies, referrer, cache or redirects.
 *
 * The law here: nothing that the server says is believed without need. Bodies are bounded, a text of the server never
 * comes into a message, and "accepted" is only what the collector itself says, not what a proxy answers in its place.
 */
import { HushpollError, InvalidValue, ServerRefused, ServerUnreachable } from "./errors.js";
import { LARGEST_ENVELOPE } from "./signing.js";
import { decode, isObject, parse } from "./strict-json.js";

const LARGEST_ANSWER = 64 * 1024;
const PROBLEM = /^urn:hushpoll:problem:[a-z-]{1,64}$/;
const NOT_OPEN = "urn:hushpoll:problem:survey-not-open";
const ONLY_HERE = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
// Request timeout, too early, too many requests: the same bytes may be taken later.
const LATER = [408, 425, 429];
/** The longest wait, in seconds, that a server may ask for. */
export const LONGEST_WAIT = 24 * 60 * 60;

/**
 * What became of a report.
 * @typedef {{ status: import("./state.js").Status, problem: string | null, wait: number }} Outcome
 */

/** The calls of the HTTP interface that a client needs. */
export class Transport {
  #url;
  #fetch;
  #timeout;

  /** @param {string} url @param {{ fetch: typeof globalThis.fetch, timeout: number }} options */
  constructor(url, { fetch, timeout }) {
    this.#url = checkUrl(url);
    this.#fetch = fetch;
    this.#timeout = timeout;
  }

  /**
   * Fetch the bytes of a survey's signed envelope.
   * @param {string} survey
   */
  async fetchEnvelope(survey) {
    const { response, body } = await this.#call(survey, "manifest", {}, LARGEST_ENVELOPE);
    if (response.status === 200) return body;
    const status = `the server does not give out the survey ${survey} (status ${response.status})`;
    if (isRefusal(response)) throw new ServerRefused(`${status}: check the survey's name and the server's address`);
    throw new ServerUnreachable(`${status}: try again later`);
  }

  /**
   * Send a report once; every trouble on the way means that it stays queued.
   * @param {string} survey @param {string} report
   * @returns {Promise<Outcome>}
   */
  async postReport(survey, report) {
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: report };
    try {
      const { response, body } = await this.#call(survey, "reports", request, LARGEST_ANSWER);
      return judge(response, readFields(body));
    } catch (error) {
      if (!(error instanceof ServerUnreachable)) throw error;
      return { status: "queued", problem: null, wait: 0 };
    }
  }

  /** @param {string} survey @param {string} what @param {RequestInit} request @param {number} most */
  async #call(survey, what, request, most) {
    const fetch = this.#fetch;
    try {
      const response = await fetch(`${this.#url}/api/v1/surveys/${survey}/${what}`, {
        ...request,
        credentials: "omit",
        redirect: "error",
        referrerPolicy: "no-referrer",
        cache: "no-store",
        signal: AbortSignal.timeout(this.#timeout),
      });
      return { response, body: await readBody(response, most) };
    } catch (error) {
      if (error instanceof HushpollError) throw error;
      throw new ServerUnreachable("the server cannot be reached: check its address and the network, then try again");
    }
  }
}

/** @param {string} url */
function checkUrl(url) {
  if (!URL.canParse(url)) throw new InvalidValue("the server's address must be written as https://polls.example.org");
  const { protocol, hostname, username, password, search, hash, href } = new URL(url);
  if (protocol !== "https:" && !(protocol === "http:" && ONLY_HERE.test(hostname))) {
    throw new InvalidValue("the server's address must start with https:// (http:// only on this machine)");
  }
  if (username || password || search || hash) {
    throw new InvalidValue("the server's address must have no user, password, ? or #");
  }
  return href.replace(/\/+$/, "");
}

/** @param {Response} response @param {number} most */
async function readBody(response, most) {
  const reader = response.body?.getReader();
  const chunks = [];
  for (let size = 0, part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    size += part.value.length;
    if (size > most) {
      await reader?.cancel();
      throw new ServerUnreachable("the server sent more than belongs here: check its address");
    }
    chunks.push(part.value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** @param {Uint8Array} body @returns {Record<string, unknown>} */
function readFields(body) {
  try {
    const fields = parse(decode(body));
    return isObject(fields) ? fields : {};
  } catch {
    return {};
  }
}

/** @param {Response} response @param {Record<string, unknown>} fields @returns {Outcome} */
function judge(response, { status, type }) {
  if (response.status === 201 && status === "accepted") return { status, problem: null, wait: 0 };
  if (response.status === 200 && status === "duplicate") return { status, problem: null, wait: 0 };
  const problem = typeof type === "string" && PROBLEM.test(type) ? type : null;
  // A refusal without a problem of ours comes from a proxy, not from the collector.
  if (isRefusal(response) && problem !== null && problem !== NOT_OPEN) return { status: "rejected", problem, wait: 0 };
  return { status: "queued", problem, wait: readWait(response.headers.get("Retry-After")) };
}

/** @param {Response} response */
function isRefusal({ status }) {
  return status >= 400 && status < 500 && !LATER.includes(status);
}

/** @param {string | null} header whole seconds; a date would be read by this device's clock, which may be wrong by years */
function readWait(header) {
  return Math.min(/^\d{1,9}$/.test(header ?? "") ? Number(header) : 0, LONGEST_WAIT);
}
