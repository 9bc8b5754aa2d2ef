/** @file The page. Nothing is shown before its signature is checked; the answers are gone before anything is sent. */
import { Epsilon } from "../src/epsilon.js";
import { need, Unsupported } from "../src/errors.js";
import { IndexedDBState } from "../src/indexeddb.js";
import { verify } from "../src/manifest.js";
import { rowsOf, weigh } from "../src/panels.js";
import { remember } from "../src/permanent.js";
import { openQueue } from "../src/queue.js";
import { randomize } from "../src/report.js";
import { first } from "./first.js";
import { language, speak, words } from "./language.js";
import { clock, minutesOf, nextMoment } from "./moment.js";
import { countDown, receipt } from "./outcome.js";
import { answers } from "./questions.js";
import { place, redraw, show, stamp, tell } from "./screen.js";

/** @import { Asked, Path } from "./types.js" */
/** @import { Entry, Manifest, Receipt } from "../src/types.js" */

const { survey, key, server } = /** @type {Record<string, string>} */ ({ ...place.dataset });

/**
 * Do work that may fail; some errors have a screen of their name. No message holds an answer.
 * @param {() => Promise<void>} work
 */
function run(work) {
  work().catch((error) => {
    const ended = document.getElementById(error.name) ? error.name : "unexpected";
    show(() => stamp(ended, { reason: error.message }).copy);
  });
}

async function start() {
  /** @remarks Who cannot be protected is not asked. */
  if (!globalThis.crypto?.getRandomValues) throw new Unsupported();
  const manifest = await verify(document.getElementById("envelope")?.textContent ?? "", key);
  need(manifest.survey === survey, "it is another survey");
  need(!manifest.epsilon.exceeds(Epsilon.parse(40)), "its odds protect nothing");
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
  /** @remarks Files on a disk share their storage, whichever server they are for. */
  const isSole = location.protocol !== "file:";
  const queue = openQueue({ url: server, isSole }, key, state, clock);
  const items = manifest.questions.flatMap((/** @type {Asked} */ question) =>
    (question.parts ?? [question]).map((/** @type {Asked} */ part) => ({ part, question })),
  );
  /** @type {Path} */
  const path = { items, minutes: minutesOf(items), back: () => show(welcome), send: () => run(send) };
  const { panel } = manifest;
  const rows = await rowsOf(manifest);
  /** @param {readonly Entry[]} entries */
  const account = (entries) => {
    const isWave = (/** @type {Entry} */ entry) => entry.panel === `${panel}` && (isSole || entry.key === key);
    return panel ? weigh(manifest, rows, key, entries.filter(isWave)) : undefined;
  };
  const welcome = () => first(manifest, path);

  async function send() {
    const given = Object.fromEntries(answers);
    removeEventListener("pagehide", forget);
    answers.clear();
    show(() => stamp("sending").copy);
    /** @remarks Another tab may have answered. */
    if (await queue.earlier(manifest)) return resume();
    /** @remarks Browsers that ask people about this are given a reason by waves alone. */
    if (panel) navigator.storage.persist().catch(() => {});
    const recall = panel ? await remember(manifest, state, key) : undefined;
    /** @remarks Without tags of what was charged: with the secret beside them they would tell the answers. */
    const report = randomize(manifest, given, undefined, recall, (_, entries) => ({
      epsilon: `${manifest.epsilon}`,
      ...account(entries)?.kept,
    }));
    const moment = nextMoment(path.minutes);
    conclude(await queue.submit(report, moment), report.body, moment);
  }

  function forget() {
    answers.clear();
    show(welcome, false);
  }

  /**
   * @param {Receipt} made @param {string | null} body that is gone when it was sent on an earlier visit
   * @param {number} moment before which it is held @param {string} [before] what it was
   */
  function conclude(made, body, moment, before = "held") {
    const isHeld = made.status === "held";
    const retry = () => {
      removeEventListener("online", retry);
      clearTimeout(timer);
      run(resume);
    };
    const wait = isHeld ? Math.ceil(moment - clock()) : (made.retryAfter ?? 300) * 1000;
    const timer = isHeld || made.status === "queued" ? setTimeout(retry, wait) : 0;
    if (timer && !isHeld) addEventListener("online", retry);
    show(() => receipt(manifest, made, body, retry));
    if (isHeld) countDown(moment);
    else if (before === "held") tell("sent");
  }

  async function resume() {
    const entry = await queue.earlier(manifest);
    if (entry?.body) show(() => stamp("sending").copy);
    if (entry) return conclude(await queue.send(entry), entry.body, entry.notBefore, entry.status);
    path.wave = account(await state.read());
    /** @remarks A page that the browser keeps must not keep answers. */
    addEventListener("pagehide", forget);
    return show(welcome, false);
  }

  return resume();
}

speak(language);
if (isSecureContext) run(start);
else show(() => stamp("insecure").copy);
