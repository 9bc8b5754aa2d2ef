/**
 * The respondent's page: check what the browser offers and who signed the survey, then hand over to the form.
 *
 * The law here: the page asks the network for one thing only, to take the report. The signed survey came with the
 * page; its words are shown after its signature was verified.
 */
import { Client } from "../src/client.js";
import { AlreadyAnswered, HushpollError, StateFailed, Unsupported } from "../src/errors.js";
import { IndexedDBState } from "../src/indexeddb.js";
import { SecureBytes } from "../src/randomness.js";
import { Form } from "./form.js";
import * as outcome from "./outcome.js";
import { trouble } from "./texts.js";

// Here the respondent decides, with the odds in sight. Above this there is nothing left to protect.
const MAX_EPSILON = "40";

const screen = /** @type {HTMLElement} */ (document.getElementById("screen"));
const given = /** @type {Record<"survey" | "key" | "server" | "privacy", string>} */ ({ ...screen.dataset });

/** @param {Node[]} nodes @param {boolean} [focus] */
function show(nodes, focus = true) {
  screen.replaceChildren(...nodes);
  if (!focus) return;
  scrollTo(0, 0);
  screen.querySelector("h1")?.focus();
}

/** @param {() => Promise<void>} work */
function run(work) {
  work().catch((error) => (error instanceof AlreadyAnswered ? run(start) : show(explain(error))));
}

/**
 * Answer for the signed survey from this document; let through nothing but the report to this survey.
 * @param {RequestInfo | URL} input @param {RequestInit} [init]
 */
async function fetchOnlyReport(input, init) {
  const address = `${given.server}/api/v1/surveys/${given.survey}/`;
  if (input === `${address}manifest`) return new Response(document.getElementById("envelope")?.textContent);
  if (input === `${address}reports`) return fetch(input, init);
  throw new TypeError("this page does not connect to that address");
}

async function start() {
  // Now, not after Send: who cannot be protected is not asked.
  new SecureBytes().take(1);
  const state = new IndexedDBState();
  const client = new Client(given.server, { key: given.key, maxEpsilon: MAX_EPSILON, state, fetch: fetchOnlyReport });
  const survey = await client.survey(given.survey);
  const keptBody = async () => {
    const entries = await state.read();
    return entries.find((entry) => entry.key === given.key && entry.survey === given.survey)?.body ?? null;
  };
  document.title = survey.manifest.title;
  await new Form({ show, run, privacyUrl: given.privacy, client, survey, keptBody }).start();
}

/** @param {unknown} error */
function explain(error) {
  if (!isSecureContext) return outcome.trouble(trouble.insecure, trouble.insecureDetail);
  if (error instanceof Unsupported) return outcome.trouble(trouble.browser, trouble.browserDetail);
  if (error instanceof StateFailed) return outcome.trouble(trouble.storage, trouble.storageDetail);
  // The messages of the SDK are fixed sentences: they hold no answer.
  if (error instanceof HushpollError) return outcome.trouble(trouble.manifest, error.message);
  return outcome.unexpected();
}

if (isSecureContext) run(start);
else show(explain(null));
