/** The respondent's page: nothing is shown before the signature is checked, nothing is asked of the network but to take the report. */
import { AlreadyAnswered, Epsilon, HushpollError, need, SecureBytes, StateFailed, Unsupported } from "../src/core.js";
import { IndexedDBState } from "../src/indexeddb.js";
import { verify } from "../src/manifest.js";
import { openQueue } from "../src/report.js";
import { Form, outcome } from "./form.js";
import { invalid, screens } from "./texts.js";

/** @import * as T from "./types.js" */

// Here the respondent decides, with the odds in sight. Above this there is nothing left to protect.
const MOST = Epsilon.parse(40);

const screen = /** @type {HTMLElement} */ (document.getElementById("screen"));
const { survey, key, server, privacy } = /** @type {T.Given} */ ({ ...screen.dataset });

/** @type {T.Page["show"]} */
function show(nodes, focus = true) {
  screen.replaceChildren(...nodes);
  if (!focus) return;
  scrollTo(0, 0);
  screen.querySelector("h1")?.focus();
}

/** @type {T.Page["run"]} */
function run(work) {
  work().catch((error) => (error instanceof AlreadyAnswered ? run(start) : show(outcome(explain(error)))));
}

async function start() {
  // Now, not after Send: who cannot be protected is not asked.
  new SecureBytes().take(1);
  const manifest = await verify(document.getElementById("envelope")?.textContent ?? "", key);
  need(manifest.survey === survey, "it is another survey");
  need(!manifest.epsilon.exceeds(MOST), "its odds protect nothing");
  const queue = openQueue({ url: server }, key, new IndexedDBState());
  document.title = manifest.title;
  await new Form({ show, run, privacyUrl: privacy, queue, manifest }).start();
}

/** @param {unknown} error */
function explain(error) {
  if (error instanceof Unsupported) return screens.unsupported;
  if (error instanceof StateFailed) return screens.stateless;
  // The messages of the SDK hold no answer.
  return error instanceof HushpollError ? invalid(error.message) : screens.unexpected;
}

if (isSecureContext) run(start);
else show(outcome(screens.insecure));
