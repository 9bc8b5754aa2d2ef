/** The way through the form. Answers live in one map, wiped by the one draw and when the page is left. */
import { randomize } from "../src/report.js";
import { button, card, heading, intro, make, question, review } from "./questions.js";
import { patience, refused, screens, words } from "./texts.js";

/** @type {F.Visit} */
export async function visit({ show, run, privacyUrl, queue, manifest }) {
  const { questions } = manifest;
  /** @type {F.Answers} */
  const answers = new Map();
  const begin = () => intro(manifest, privacyUrl, () => ask(0));

  /** @param {number} index */
  function ask(index, fromReview = false) {
    const toReview = fromReview || index + 1 === questions.length;
    const back = () => (index > 0 ? ask(index - 1) : show(begin()));
    const way = {
      back: fromReview ? check : back,
      next: toReview ? check : () => ask(index + 1),
      nextText: toReview ? words.toReview : words.next,
    };
    show(question(questions, index, answers, way));
  }

  function check() {
    const back = () => ask(questions.length - 1);
    show(review(questions, answers, { change: (index) => ask(index, true), back, send: () => run(send) }));
  }

  async function send() {
    const report = draw();
    show(outcome(screens.sending));
    conclude(await queue.submit(report, manifest.epsilon), report.body);
  }

  function draw() {
    try {
      return randomize(manifest, Object.fromEntries(answers));
    } finally {
      removeEventListener("pagehide", forget);
      answers.clear();
    }
  }

  function forget() {
    answers.clear();
    show(begin(), false);
  }

  /** @type {F.Conclude} */
  function conclude(made, body) {
    const { status, problem, retryAfter } = made;
    const isQueued = status === "queued";
    const taken = body ? screens.sent : screens.already;
    const shown = status === "rejected" ? refused(problem) : taken;
    const more = receipt(made, body, isQueued ? words.willBeSent : words.wasSent);
    if (!isQueued) return show(outcome(shown, ...more));
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
export function outcome([title, ...paragraphs], ...more) {
  return [card(heading(title), ...paragraphs.map((text) => make("p", {}, text)), ...more)];
}

/** @type {F.ShowReceipt} */
function receipt({ survey, id }, body, summary) {
  const [name, number] = [survey, id].map((value) => make("dd", { class: "mono" }, value));
  const facts = [make("dt", {}, words.survey), name, make("dt", {}, words.report), number];
  const explanation = make("p", { class: "small" }, words.body);
  const see = body ? make("details", {}, make("summary", {}, summary), make("pre", {}, body), explanation) : "";
  return [make("h2", {}, words.receipt), make("dl", { class: "facts" }, ...facts), see];
}
