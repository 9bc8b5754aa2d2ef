/** The page. Nothing is shown before its signature is checked; the answers are gone before anything is sent. */
import { Epsilon } from "../src/epsilon.js";
import { need, Unsupported } from "../src/errors.js";
import { groupCode } from "../src/groups.js";
import { IndexedDBState } from "../src/indexeddb.js";
import { verify } from "../src/manifest.js";
import { rowsOf, weighWave } from "../src/panels.js";
import { remember } from "../src/permanent.js";
import { openQueue } from "../src/queue.js";
import { randomize } from "../src/report.js";
import { clock, minutesBetween, nextDeparture } from "./departure.js";
import { firstScreen } from "./first.js";
import { language, speak, words } from "./language.js";
import { outcomeScreen } from "./outcome.js";
import { answers } from "./questions.js";
import { place, redraw, show, stamp, tellPageAround } from "./screen.js";
import { finish, restart } from "./trail.js";
import { waitFor } from "./waiting.js";

/** @import { Manifest } from "../src/manifest.js" */
/** @import { Entry, Receipt } from "../src/types.js" */
/** @import { Path } from "./types.js" */

/** The groups that the link names. */
const group = new URLSearchParams(location.search).get("group");
const labels = group?.split(",") ?? [];
const { survey, key, server } = /** @type {Record<string, string>} */ ({ ...place.dataset });

/**
 * Do work that may fail; some errors have a screen of their own, by name. No message holds an answer.
 * @param {() => Promise<void>} work
 */
function run(work) {
  work().catch((error) => {
    const ending = document.getElementById(error.name) ? error.name : "unexpected";
    show(() => stamp(ending, { reason: error.message }).copy);
    // Other errors could reveal that somebody answered here before.
    if (work === start && /^(StateFailed|Unsupported)$/.test(ending)) tellPageAround(ending);
  });
}

async function start() {
  // Respondents who cannot be protected are not asked.
  if (!globalThis.crypto?.getRandomValues) throw new Unsupported();
  const manifest = await verify(document.getElementById("envelope")?.textContent ?? "", key);
  need(manifest.survey === survey, "it is another survey");
  need(!manifest.epsilon.exceeds(Epsilon.parse(40)), "its odds protect nothing");
  const { accent = "" } = manifest.about ?? {};
  document.documentElement.style.setProperty("--own", accent);
  speak(language, manifest);
  if (document.getElementById("picker")) pickLanguage(manifest);
  await visit(manifest);
}

/** @param {Manifest} manifest */
function pickLanguage(manifest) {
  const { copy, label, select } = stamp("picker", { select: { value: language } });
  select.onchange = () => {
    speak(select.value, manifest);
    label.textContent = words.language;
    redraw();
  };
  place.before(copy);
}

/** One respondent's visit: the first screen, or what became of an earlier report. @param {Manifest} manifest */
async function visit(manifest) {
  const state = new IndexedDBState();
  // Pages opened from a disk share their storage, whichever server they are for.
  const isSole = location.protocol !== "file:";
  const queue = openQueue({ url: server, isSole, isForgetful: true }, key, state, clock);
  const items = manifest.questions.flatMap((question) =>
    (question.parts ?? [question]).map((part) => ({ part, question })),
  );
  const minutes = minutesBetween(items.map(({ part }) => part));
  const groups = groupCode(labels, manifest.groups);
  if (groups === undefined) return show(() => stamp("no_group").copy);
  /** @type {Path} */
  const path = { items, minutes, group, groups, send: () => run(send) };
  const { panel } = manifest;
  const rows = await rowsOf(manifest);

  return resume();

  function welcome() {
    return firstScreen(manifest, path);
  }

  /** Weigh this wave together with the earlier ones of the panel. @param {readonly Entry[]} entries */
  function weigh(entries) {
    if (!panel) return undefined;
    const earlier = entries.filter((entry) => entry.panel === panel && (isSole || entry.key === key));
    return weighWave(manifest, rows, key, earlier);
  }

  async function send() {
    const rawAnswers = Object.fromEntries(answers);
    removeEventListener("pagehide", begin);
    answers.clear();
    finish(() => show(() => stamp("sending").copy));
    // Another tab may have answered.
    if (await queue.earlier(manifest)) return resume();
    let recall;
    if (panel) {
      // Some browsers ask people about this: only waves are a reason to. Others have no such promise to give.
      navigator.storage?.persist().catch(() => {});
      recall = await remember(manifest, state, key);
    }
    // No tags of what was charged are stored: together with the secret they would reveal the answers.
    const report = randomize(manifest, rawAnswers, labels, undefined, recall, (_, entries) => ({
      epsilon: `${manifest.epsilon}`,
      ...weigh(entries)?.record,
    }));
    const departure = nextDeparture(minutes);
    conclude(await queue.submit(report, departure), report.body, departure);
  }

  /** Show the first screen. A page that stays in the browser's cache must not keep answers. */
  function begin() {
    answers.clear();
    restart(() => show(welcome));
    show(welcome, false);
  }

  /** Forget that somebody answered here, and the secret behind the draws that last. */
  async function forget() {
    await state.forget((entry) => entry.manifest === manifest.id || (panel && entry.secret));
    return resume();
  }

  /**
   * @param {Receipt} receipt @param {string | null} body that is gone when it was sent on an earlier visit
   * @param {number} departure before which it is held @param {string} [before] what it was
   */
  function conclude(receipt, body, departure, before = "held") {
    const isHeld = receipt.status === "held";
    const retry = () => {
      removeEventListener("online", retry);
      clearTimeout(timer);
      run(resume);
    };
    const wait = isHeld ? Math.ceil(departure - clock()) : (receipt.retryAfter ?? 300) * 1000;
    const timer = isHeld || receipt.status === "queued" ? setTimeout(retry, wait) : 0;
    if (timer && !isHeld) addEventListener("online", retry);
    waitFor(Boolean(timer));
    const acts = { retry, forget: () => run(forget) };
    const ending = () => show(() => outcomeScreen(manifest, receipt, body, departure, acts));
    restart(ending);
    ending();
    if (!isHeld && before === "held") tellPageAround("sent");
  }

  async function resume() {
    const entry = await queue.earlier(manifest);
    if (entry?.body) show(() => stamp("sending").copy);
    if (entry) return conclude(await queue.send(entry), entry.body, entry.notBefore, entry.status);
    path.wave = weigh(await state.read());
    addEventListener("pagehide", begin);
    return begin();
  }
}

// Leaving would lose what was answered: nothing is stored before Send.
addEventListener("beforeunload", (event) => {
  if (answers.size) event.preventDefault();
});
speak(language);
// At once, so that the time does not depend on what is stored here.
tellPageAround("ready");
if (isSecureContext) run(start);
else show(() => stamp("insecure").copy);
