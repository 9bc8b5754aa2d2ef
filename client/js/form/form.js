/**
 * The way through the form: first screen, questions, review, Send, and what comes after.
 *
 * The laws here: answers live in one map in memory and are wiped by the draw and when the page is left; there is
 * one draw, after Send; the report is stored before its first byte goes out, and every retry sends the same bytes.
 */
import { randomize } from "../src/report.js";
import { question, review } from "./questions.js";
import { button, intro, make, outcome, receipt } from "./screens.js";
import * as texts from "./texts.js";

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
      if (entry.body !== null) show(outcome(texts.kept));
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
    const toReview = fromReview || index + 1 === questions.length;
    const back = () => (index > 0 ? this.#ask(index - 1) : this.#page.show(this.#intro()));
    const way = {
      back: fromReview ? () => this.#review() : back,
      next: toReview ? () => this.#review() : () => this.#ask(index + 1),
      nextText: toReview ? texts.question.toReview : texts.question.next,
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
    const report = this.#draw();
    this.#page.show(outcome(texts.drawn));
    this.#conclude(await this.#page.queue.submit(report, this.#manifest.epsilon), report.body);
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

  /** Show what became of the report; its body is gone if it was sent on an earlier visit. @type {T.Conclude} */
  #conclude(made, body) {
    const { status, problem } = made;
    if (status === "queued") return this.#wait(made, body);
    const taken = body === null ? texts.already : texts.sent;
    const words = status === "rejected" ? texts.refused(problem) : taken;
    return this.#page.show(outcome(words, ...receipt(made, body, texts.receipt.sent)));
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
    const again = retryAfter ? make("p", {}, texts.patience(retryAfter)) : button(texts.retry, retry);
    const more = receipt(made, body, texts.receipt.waiting);
    this.#page.show(outcome(texts.waiting, ...more, make("div", { class: "actions" }, again)));
  }
}
