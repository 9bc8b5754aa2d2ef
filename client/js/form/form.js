/** The way through the form. Answers live in one map, wiped by the one draw, after Send, and when the page is left. */
import { randomize } from "../src/report.js";
import { button, card, heading, intro, make, question, review } from "./questions.js";
import { patience, refused, screens, words } from "./texts.js";

/** @import * as T from "./types.js" */

/** One respondent's visit. */
export class Form {
  #page;
  #manifest;
  /** @type {T.Answers} */
  #answers = new Map();

  /** @param {T.Page} page */
  constructor(page) {
    this.#page = page;
    this.#manifest = page.manifest;
  }

  /** Show the first screen, or what became of the report that this device made before. */
  async start() {
    const { show, queue } = this.#page;
    const entry = await queue.earlier(this.#manifest);
    if (entry) {
      if (entry.body) show(outcome(screens.kept));
      return this.#conclude(await queue.send(entry), entry.body);
    }
    // A page that the browser keeps for the Back button must not keep answers.
    addEventListener("pagehide", this.#forget);
    show(this.#intro(), false);
  }

  #intro() {
    return intro(this.#manifest, this.#page.privacyUrl, () => this.#ask(0));
  }

  /** @param {number} index */
  #ask(index, fromReview = false) {
    const { questions } = this.#manifest;
    const review = () => this.#review();
    const toReview = fromReview || index + 1 === questions.length;
    const back = () => (index > 0 ? this.#ask(index - 1) : this.#page.show(this.#intro()));
    const way = {
      back: fromReview ? review : back,
      next: toReview ? review : () => this.#ask(index + 1),
      nextText: toReview ? words.toReview : words.next,
    };
    this.#page.show(question(questions, index, this.#answers, way));
  }

  #review() {
    const { questions } = this.#manifest;
    const way = {
      change: (/** @type {number} */ index) => this.#ask(index, true),
      back: () => this.#ask(questions.length - 1),
      send: () => this.#page.run(() => this.#send()),
    };
    this.#page.show(review(questions, this.#answers, way));
  }

  async #send() {
    const { show, queue, manifest } = this.#page;
    const report = this.#draw();
    show(outcome(screens.drawn));
    this.#conclude(await queue.submit(report, manifest.epsilon), report.body);
  }

  #draw() {
    const answers = Object.fromEntries(this.#answers);
    try {
      return randomize(this.#manifest, answers);
    } finally {
      for (const id of Object.keys(answers)) delete answers[id];
      removeEventListener("pagehide", this.#forget);
      this.#answers.clear();
    }
  }

  #forget = () => {
    this.#answers.clear();
    this.#page.show(this.#intro(), false);
  };

  /** @type {T.Conclude} */
  #conclude(made, body) {
    const { status, problem } = made;
    if (status === "queued") return this.#wait(made, body);
    const taken = body ? screens.sent : screens.already;
    const shown = status === "rejected" ? refused(problem) : taken;
    return this.#page.show(outcome(shown, ...receipt(made, body, words.wasSent)));
  }

  /** @type {T.Conclude} */
  #wait(made, body) {
    const { retryAfter } = made;
    const retry = () => {
      removeEventListener("online", retry);
      clearTimeout(timer);
      this.#page.run(() => this.start());
    };
    const timer = retryAfter && setTimeout(retry, retryAfter * 1000);
    addEventListener("online", retry);
    const again = retryAfter ? make("p", {}, patience(retryAfter)) : button(words.retry, retry);
    const more = receipt(made, body, words.willBeSent);
    this.#page.show(outcome(screens.waiting, ...more, make("div", { class: "actions" }, again)));
  }
}

/** @type {T.Outcome} */
export function outcome([title, ...paragraphs], ...more) {
  return [card(heading(title), ...paragraphs.map((text) => make("p", {}, text)), ...more)];
}

/** Show the report, never the answers. @type {T.ShowReceipt} */
function receipt({ survey, id }, body, summary) {
  const [name, number] = [survey, id].map((value) => make("dd", { class: "mono" }, value));
  const facts = [make("dt", {}, words.survey), name, make("dt", {}, words.report), number];
  const explanation = make("p", { class: "small" }, words.body);
  const see = body ? make("details", {}, make("summary", {}, summary), make("pre", {}, body), explanation) : "";
  return [make("h2", {}, words.receipt), make("dl", { class: "facts" }, ...facts), see];
}
