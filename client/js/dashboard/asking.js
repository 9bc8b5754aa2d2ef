/** @import { Answer } from "./live.js" */
const MOST_MILLISECONDS = 60_000;

/** @type {XMLHttpRequest | undefined} */
let last;

/**
 * Ask for a page as a document, which runs nothing and loads nothing. With the tag of what is shown, the answer to
 * a question without news has no page.
 * @param {string} address @param {string} tag
 * @returns {Promise<Answer>}
 */
export function ask(address, tag) {
  last?.abort();
  const request = new XMLHttpRequest();
  last = request;
  request.open("GET", address);
  request.responseType = "document";
  request.timeout = MOST_MILLISECONDS;
  if (tag) request.setRequestHeader("If-None-Match", `W/"${tag}"`);
  return new Promise((resolve) => {
    request.onloadend = () => {
      // Its document would be kept as long as the request.
      if (last === request) last = undefined;
      const page = request.response?.getElementById("live") ? request.response : null;
      resolve({ status: request.status, page, retryAfter: Number(request.getResponseHeader("Retry-After")) || 0 });
    };
    request.send();
  });
}
