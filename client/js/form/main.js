/**
 * The respondent's page: check what the browser offers and who signed the survey, then hand over to the form.
 *
 * The law here: the page asks the network for one thing only, to take the report. The signed survey came with the
 * page; its words are shown after its signature was verified.
 */
import { Epsilon } from "../src/epsilon.js";
import { AlreadyAnswered, HushpollError, need, StateFailed, Unsupported } from "../src/errors.js";
import { IndexedDBState } from "../src/indexeddb.js";
import { verify } from "../src/manifest.js";
import { Queue } from "../src/queue.js";
import { SecureBytes } from "../src/randomness.js";
import { Form } from "./form.js";
import { outcome } from "./screens.js";
import * as texts from "./texts.js";

/** @import * as T from "./types.js" */

// Here the respondent decides, with the odds in sight. Above this there is nothing left to protect.
const MOST = Epsilon.parse(40);

const screen = /** @type {HTMLElement} */ (document.getElementById("screen"));
const given = /** @type {T.Given} */ ({ ...screen.dataset });

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
  const manifest = await verify(document.getElementById("envelope")?.textContent ?? "", given.key);
  need(manifest.survey === given.survey, "the server sent another survey");
  need(!manifest.epsilon.exceeds(MOST), "its odds protect nothing");
  const queue = new Queue({ url: given.server }, given.key, new IndexedDBState());
  document.title = manifest.title;
  await new Form({ show, run, privacyUrl: given.privacy, queue, manifest }).start();
}

/** @param {unknown} error */
function explain(error) {
  if (!isSecureContext) return texts.insecure;
  if (error instanceof Unsupported) return texts.unsupported;
  if (error instanceof StateFailed) return texts.stateless;
  // The messages of the SDK are fixed sentences: they hold no answer.
  return error instanceof HushpollError ? texts.invalid(error.message) : texts.unexpected;
}

if (isSecureContext) run(start);
else show(outcome(texts.insecure));
