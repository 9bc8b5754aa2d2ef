/**
 * The two calls of a client, without cookies, referrer, cache or redirects.
 *
 * Bodies are bounded and no text of the server comes into a message. A report leaves the queue only when the collector
 * itself says so: what a proxy answers in its place means "not yet".
 */
import { HushpollError, need, ServerRefused, ServerUnreachable } from "./errors.js";
import { LARGEST_ENVELOPE } from "./signing.js";
import { isObject, parse } from "./strict-json.js";

/** @import { Outcome } from "./types.js" */

const PROBLEM = /^urn:hushpoll:problem:[a-z-]{1,64}$/;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
/** The longest wait, in seconds, that a server may ask for. */
export const LONGEST_WAIT = 24 * 60 * 60;

export class Transport {
  #url;
  #fetch;
  #timeout;

  /** @param {string} url @param {typeof globalThis.fetch} fetch @param {number} timeout in ms */
  constructor(url, fetch, timeout) {
    this.#url = checkUrl(url);
    this.#fetch = fetch;
    this.#timeout = timeout;
  }

  /** Fetch the signed envelope of a survey. @param {string} survey */
  async fetchEnvelope(survey) {
    const { response, body } = await this.#call(survey, "manifest", {}, LARGEST_ENVELOPE);
    if (response.status === 200) return body;
    const message = `the server does not give out the survey ${survey} (status ${response.status})`;
    if (isRefusal(response)) throw new ServerRefused(`${message}: check its name and the server's address`);
    throw new ServerUnreachable(`${message}: try again later`);
  }

  /** Send a report once. @param {string} survey @param {string} report @returns {Promise<Outcome>} */
  async postReport(survey, report) {
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: report };
    try {
      const { response, body } = await this.#call(survey, "reports", request, 65_536);
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
  need(URL.canParse(url), "the server's address must be written as https://polls.example.org");
  const { protocol, hostname, username, password, search, hash, href } = new URL(url);
  const isSafe = protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
  need(isSafe, "the server's address must start with https:// (http:// is for this machine only)");
  need(!(username || password || search || hash), "the server's address must have no user, password, ? or #");
  return href.replace(/\/+$/, "");
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

/** @param {Uint8Array} body */
function readFields(body) {
  try {
    const fields = parse(body);
    return isObject(fields) ? fields : {};
  } catch {
    return {};
  }
}

/** @param {Response} response @param {Record<string, unknown>} fields @returns {Outcome} */
function judge(response, { status, type }) {
  const isTaken = { 201: "accepted", 200: "duplicate" }[response.status] === status;
  if (isTaken && (status === "accepted" || status === "duplicate")) return { status, problem: null, wait: 0 };
  const problem = typeof type === "string" && PROBLEM.test(type) ? type : null;
  const isFinal = isRefusal(response) && problem !== null && !problem.endsWith(":survey-not-open");
  // Seconds only: a date would be read by this device's clock, which may be wrong by years.
  const [seconds = "0"] = /^\d{1,9}$/.exec(response.headers.get("Retry-After") ?? "") ?? [];
  return { status: isFinal ? "rejected" : "queued", problem, wait: Math.min(Number(seconds), LONGEST_WAIT) };
}

/** @param {Response} response but request timeout, too early and too many requests mean "later" */
function isRefusal({ status }) {
  return status >= 400 && status < 500 && ![408, 425, 429].includes(status);
}
