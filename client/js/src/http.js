/** Calls to a server: without cookies, referrer, cache or redirects. What arrives is limited in transport.js. */
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
    response = await call(server, `${survey}/reports`, request);
    const { status, type } = await response.json();
    const taken = { 201: "accepted", 200: "duplicate" }[response.status];
    if (taken && taken === status) return { status, problem, wait: 0 };
    [problem = null] = /^urn:hushpoll:problem:[a-z-]+$/.exec(type) ?? [];
  } catch {
    // No response, or not the collector's.
  }
  const isFinal = isRefusal(response.status) && problem && !/:(survey-not-open|wrong-host)$/.test(problem);
  return { status: isFinal ? "rejected" : "queued", problem, wait: waitOf(response.headers) };
}

/** Return how many seconds to leave the server alone. @param {Headers} headers */
export function waitOf(headers) {
  const after = headers.get("Retry-After") ?? "";
  return /^\d+$/.test(after) ? Math.min(Number(after), LONGEST_WAIT) : 0;
}

/** @param {Server} server @param {string} path @param {RequestInit} [request] */
export function call({ url, fetch = globalThis.fetch, timeout = 30_000 }, path, request) {
  return fetch(`${url}/api/v1/surveys/${path}`, {
    ...request,
    credentials: "omit",
    redirect: "error",
    referrerPolicy: "no-referrer",
    cache: "no-store",
    signal: AbortSignal.timeout(timeout),
  });
}

/** Return whether a status is a refusal for good: timeout, too early and too many mean later. @param {number} status */
export function isRefusal(status) {
  return /^4(?!08|25|29)/.test(`${status}`);
}
