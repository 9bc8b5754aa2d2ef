/** The page: nothing is shown before its signature is checked. */
import { AlreadyAnswered, Epsilon, HushpollError, need, SecureBytes, StateFailed, Unsupported } from "../src/core.js";
import { verify } from "../src/manifest.js";
import { IndexedDBState, openQueue } from "../src/report.js";
import { outcome, visit } from "./form.js";
import { invalid, screens } from "./texts.js";

const screen = /** @type {HTMLElement} */ (document.getElementById("screen"));
const { survey, key, server, privacy } = /** @type {F.Given} */ ({ ...screen.dataset });

/** @type {F.Page["show"]} */
function show(nodes, focus = true) {
  screen.replaceChildren(...nodes);
  if (!focus) return;
  scrollTo(0, 0);
  screen.querySelector("h1")?.focus();
}

/** @type {F.Page["run"]} */
function run(work) {
  work().catch((error) => (error instanceof AlreadyAnswered ? run(start) : show(outcome(explain(error)))));
}

async function start() {
  // Who cannot be protected is not asked.
  new SecureBytes().take(1);
  const manifest = await verify(document.getElementById("envelope")?.textContent ?? "", key);
  need(manifest.survey === survey, "it is another survey");
  need(!manifest.epsilon.exceeds(Epsilon.parse(40)), "its odds protect nothing");
  const queue = openQueue({ url: server }, key, new IndexedDBState());
  document.title = manifest.title;
  await visit({ show, run, privacyUrl: privacy, queue, manifest });
}

/** @param {unknown} error */
function explain(error) {
  if (error instanceof Unsupported) return screens.unsupported;
  if (error instanceof StateFailed) return screens.stateless;
  // Its messages hold no answer.
  return error instanceof HushpollError ? invalid(error.message) : screens.unexpected;
}

if (isSecureContext) run(start);
else show(outcome(screens.insecure));
