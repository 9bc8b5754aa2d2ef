/** Calls to a server: without cookies, referrer, cache or redirects, and with a limit on what is read. */
/** @import { Outcome, Server } from "./types.js" */

/** The longest time that a server can ask for, in seconds. */
export const LONGEST_WAIT = 3600;

/**
 * Send a report. Anything but a clear reply of the collector means: not yet.
 * @param {Server} server @param {string} survey @param {string | null} body @returns {Promise<Outcome>}
 */
export async function post(server, survey, body) {
  let response = Response.error();
  let problem = null;
  try {
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body };
    const reply = await call(server, `${survey}/reports`, 65_536, request);
    response = reply.response;
    const { status, type } = JSON.parse(new TextDecoder().decode(reply.body));
    const taken = { 201: "accepted", 200: "duplicate" }[response.status];
    if (taken && taken === status) return { status, problem, wait: 0 };
    [problem = null] = /^urn:hushpoll:problem:[a-z-]+$/.exec(type) ?? [];
  } catch {
    // No response, or not the collector's.
  }
  const isFinal = isRefusal(response.status) && problem && !/:(survey-not-open|wrong-host)$/.test(problem);
  return { status: isFinal ? "rejected" : "queued", problem, wait: waitOf(response.headers) };
}

/**
 * Return how many seconds to leave the server alone.
 *
 * A date is compared with the server's own: this device's clock may be wrong.
 * @param {Headers} headers
 */
export function waitOf(headers) {
  const [after, date] = ["Retry-After", "Date"].map((name) => headers.get(name) ?? "");
  const seconds = /^\d+$/.test(after) ? Number(after) : (timeOf(after) - timeOf(date)) / 1000;
  return Math.min(Math.max(seconds || 0, 0), LONGEST_WAIT);
}

/** @param {string} date */
function timeOf(date) {
  return Date.parse(`${/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.exec(date)}`);
}

/**
 * Call the server, and read at most this many bytes of the response.
 * @param {Server} server @param {string} path @param {number} most @param {RequestInit} [request]
 */
export async function call({ url, fetch = globalThis.fetch, timeout = 30_000 }, path, most, request) {
  const response = await fetch(`${url}/api/v1/surveys/${path}`, {
    ...request,
    credentials: "omit",
    redirect: "error",
    referrerPolicy: "no-referrer",
    cache: "no-store",
    signal: AbortSignal.timeout(timeout),
  });
  return { response, body: await readBody(response, most) };
}

/** Return whether a status is a refusal for good: timeout, too early and too many mean later. @param {number} status */
export function isRefusal(status) {
  return /^4(?!08|25|29)/.test(`${status}`);
}

/** @param {any} response @param {number} most */
async function readBody({ body }, most) {
  const chunks = [];
  const reader = body.getReader();
  for (let size = 0, part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > most) throw await reader.cancel();
    chunks.push(part.value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
