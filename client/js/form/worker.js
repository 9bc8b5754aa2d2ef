/**
 * The service worker of one survey: it sends a report that waits once the device is online, also after the tab was
 * closed, and shows the page offline until then.
 *
 * The rules here: it sends the bytes that were drawn, and nothing else. It keeps a copy of the page only while a report
 * waits; after that it removes the copy and itself, so that the device does not tell the next person more than it must.
 */
import { IndexedDBState } from "../src/indexeddb.js";
import { openQueue } from "../src/queue.js";

const { registration } = /** @type {any} */ (globalThis);
/** The address of the form: it names the server and the survey. @type {string} */
const form = registration.scope;
const [server, survey] = form.split("/s/");
const state = new IndexedDBState();
const FILES = / (?:src|href)="([^"]+\.(?:js|css))"/g;
// The page has its policy in itself, except for the part that only a header can have.
const HEADERS = { "Content-Type": "text/html; charset=utf-8", "X-Frame-Options": "DENY" };

/** Send what waits. If something still has to wait, fail: the browser then tries again later. */
async function send() {
  const entries = await state.read();
  for (const entry of entries.filter((each) => each.survey === survey && each.body)) {
    const queue = openQueue({ url: server, isSole: true, isForgetful: true }, entry.key, state);
    const { status } = await queue.send(entry);
    if (status === "held" || status === "queued") throw new Error("not yet");
  }
  await leave();
}

/** Keep a copy of the page, and of what it loads, which the browser has cached; then send as soon as possible. */
async function wait(/** @type {string} */ html) {
  const copies = await caches.open(form);
  await copies.put(form, new Response(`<!doctype html><html>${html}</html>`, { headers: HEADERS }));
  for (const [, path] of html.matchAll(FILES)) await copies.put(path, await fetch(path, { cache: "force-cache" }));
  await registration.sync?.register("report");
}

async function leave() {
  await caches.delete(form);
  await registration.unregister();
}

/** Ask the server, and take the copy if it is away. @param {Request} request */
async function fetchOrCopy(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const copies = await caches.open(form);
    const copy = await copies.match(request, { ignoreSearch: true });
    if (copy) return copy;
    throw error;
  }
}

/** @param {string} type @param {(event: any) => void} act */
function on(type, act) {
  globalThis.addEventListener(type, act);
}

on("sync", (event) => event.waitUntil(send()));
on("message", (event) => event.waitUntil(event.data ? wait(event.data) : leave()));
on("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(fetchOrCopy(event.request));
});
