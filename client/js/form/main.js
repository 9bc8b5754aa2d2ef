/** The page. Nothing is shown before its signature is checked; answers live in one map, wiped by the one draw. */
import { AlreadyAnswered, Epsilon, HushpollError, need, SecureBytes } from "../src/core.js";
import { verify } from "../src/manifest.js";
import { IndexedDBState, openQueue, randomize } from "../src/report.js";
import { button, card, heading, intro, make, question, review } from "./questions.js";
import { invalid, patience, refused, screens, words } from "./texts.js";

const place = /** @type {HTMLElement} */ (document.getElementById("screen"));
const { survey, key, server, privacy } = /** @type {F.Given} */ ({ ...place.dataset });

/** @type {F.Show} */
function show(nodes, focus = true) {
  place.replaceChildren(...nodes);
  if (!focus) return;
  scrollTo(0, 0);
  place.querySelector("h1")?.focus();
}

/** @type {F.Run} */
function run(work) {
  work().catch((error) => (error instanceof AlreadyAnswered ? run(start) : show(outcome(explain(error)))));
}

async function start() {
  // Who cannot be protected is not asked.
  new SecureBytes().take(1);
  const manifest = await verify(document.getElementById("envelope")?.textContent ?? "", key);
  need(manifest.survey === survey, "it is another survey");
  need(!manifest.epsilon.exceeds(Epsilon.parse(40)), "its odds protect nothing");
  document.title = manifest.title;
  // Loaded now: no request depends on an answer.
  await visit(manifest, manifest.draw ? await (await import("./kinds/survey.js")).prepare(manifest) : {});
}

/** One respondent's visit: the first screen, or what became of an earlier report. @type {F.Visit} */
async function visit(manifest, { items = manifest.questions, notes = [words.process], sent = [words.body], remember }) {
  const state = new IndexedDBState();
  const queue = openQueue({ url: server }, key, state);
  /** @type {F.Answers} */
  const answers = new Map();
  const begin = () => intro(manifest, items, notes, privacy, () => ask(0));

  /** @param {number} index */
  function ask(index, fromReview = false) {
    const toReview = fromReview || index + 1 === items.length;
    const back = () => (index > 0 ? ask(index - 1) : show(begin()));
    const way = {
      back: fromReview ? check : back,
      next: toReview ? check : () => ask(index + 1),
      nextText: toReview ? words.toReview : words.next,
    };
    show(question(items, index, answers, way));
  }

  function check() {
    const back = () => ask(items.length - 1);
    show(review(items, answers, { change: (index) => ask(index, true), back, send: () => run(send) }));
  }

  async function send() {
    const values = [...answers].map(([id, [value]]) => [id, value]);
    removeEventListener("pagehide", forget);
    answers.clear();
    show(outcome(screens.sending));
    const recall = await remember?.(manifest, state, key);
    const report = randomize(manifest, Object.fromEntries(values), undefined, recall);
    conclude(await queue.submit(report), report.body);
  }

  function forget() {
    answers.clear();
    show(begin(), false);
  }

  /** @type {F.Conclude} */
  function conclude(made, body) {
    const { status, problem, retryAfter } = made;
    const more = receipt(made, body, sent, status === "queued" ? words.willBeSent : words.wasSent);
    if (status === "rejected") return show(outcome(refused(problem), ...more));
    if (status !== "queued") return show(outcome(body ? screens.sent : screens.already, ...more));
    const retry = () => {
      removeEventListener("online", retry);
      clearTimeout(timer);
      run(resume);
    };
    const timer = retryAfter && setTimeout(retry, retryAfter * 1000);
    addEventListener("online", retry);
    const again = retryAfter ? make("p", {}, patience(retryAfter)) : button(words.retry, retry);
    return show(outcome(screens.waiting, ...more, make("div", { class: "actions" }, again)));
  }

  async function resume() {
    const entry = await queue.earlier(manifest);
    if (entry?.body) show(outcome(screens.sending));
    if (entry) return conclude(await queue.send(entry), entry.body);
    // A page that the browser keeps for the Back button must not keep answers.
    addEventListener("pagehide", forget);
    return show(begin(), false);
  }

  return resume();
}

/** @type {F.Outcome} */
function outcome([title, ...paragraphs], ...more) {
  return [card(heading(title), ...paragraphs.map((text) => make("p", {}, text)), ...more)];
}

/** @type {F.ShowReceipt} */
function receipt({ survey, id }, body, sent, summary) {
  const facts = [words.survey, survey, words.report, id];
  const list = facts.map((text, i) => (i % 2 ? make("dd", { class: "mono" }, text) : make("dt", {}, text)));
  const meaning = sent.map((text) => make("p", { class: "small" }, text));
  const see = body ? make("details", {}, make("summary", {}, summary), make("pre", {}, body), ...meaning) : "";
  return [make("h2", {}, words.receipt), make("dl", { class: "facts" }, ...list), see];
}

/** @param {Error} error */
function explain(error) {
  // Its messages hold no answer.
  const other = error instanceof HushpollError ? invalid(error.message) : screens.unexpected;
  return Object(screens)[error.name] ?? other;
}

if (isSecureContext) run(start);
else show(outcome(screens.insecure));
