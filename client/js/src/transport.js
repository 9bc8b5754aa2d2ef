/**
 * How the bytes of an app travel. The page needs none of it: its server has sent the page itself.
 *
 * The rules here: each call has a connection of its own, because two reports on one connection come from one device;
 * and nobody reads more of a response than the largest that is expected.
 */
import { LONGEST_WAIT } from "./http.js";
import { LARGEST_ENVELOPE } from "./strict/verify.js";

/** @import { Transport } from "./types.js" */

const LARGEST_RECEIPT = 65_536;

/**
 * Return a transport that limits what arrives. Browsers decide about connections themselves and omit the header.
 * @param {Transport} [fetch] @returns {Transport}
 */
export function careful(fetch) {
  return async (url, request) => {
    const closing = { ...request, headers: { ...request.headers, Connection: "close" } };
    const { body, status, headers } = await (fetch ?? globalThis.fetch)(url, closing);
    const most = request.method === "POST" ? LARGEST_RECEIPT : LARGEST_ENVELOPE;
    const bytes = body ? await readAtMost(most, body.getReader()) : null;
    return new Response(bytes, { status, headers: { "Retry-After": `${secondsToWait(headers)}` } });
  };
}

/** @param {number} most bytes @param {ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>} reader */
async function readAtMost(most, reader) {
  const chunks = [];
  for (let size = 0, part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > most) throw await reader.cancel();
    chunks.push(part.value);
  }
  return new Blob(chunks);
}

/**
 * Return how many seconds a server asks to be left alone. A date is compared with the server's own: this device's clock
 * may be wrong.
 * @param {Headers} headers
 */
export function secondsToWait(headers) {
  const [after, date] = ["Retry-After", "Date"].map((name) => headers.get(name) ?? "");
  const seconds = /^\d+$/.test(after) ? Number(after) : Math.ceil((timeOf(after) - timeOf(date)) / 1000);
  return Math.min(Math.max(seconds || 0, 0), LONGEST_WAIT);
}

/** @param {string} date */
function timeOf(date) {
  return Date.parse(`${/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.exec(date)}`);
}
