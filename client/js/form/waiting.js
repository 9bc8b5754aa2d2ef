/**
 * The service worker that looks after a report that waits (worker.js). It is there from the start, because offline it
 * could not be loaded, and removes itself when nothing waits. A file, a frame and some browsers have none.
 */
import { place } from "./screen.js";

const { worker } = place.dataset;
/** The page as it was sent. */
const html = worker && document.documentElement.getHTML();
let isWaiting = false;
const registering = register();

/** @returns {Promise<any>} */
async function register() {
  if (!worker) return undefined;
  const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("worker", {
    createScriptURL: () => worker,
  });
  const scope = location.pathname;
  return navigator.serviceWorker.register(policy?.createScriptURL("") ?? worker, { scope }).catch(() => {});
}

/** Tell the worker whether a report waits. @param {boolean} waits */
export function waitFor(waits) {
  isWaiting = waits;
  const tell = (/** @type {any} */ { active, installing } = {}) => (active ?? installing)?.postMessage(waits && html);
  registering.then(tell).catch(() => {});
}

addEventListener("pagehide", () => waitFor(isWaiting));
