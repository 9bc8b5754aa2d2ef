/**
 * The way through the form: first screen, questions, review, Send, and what comes after.
 *
 * The laws here: answers live in one map in memory and are wiped by the draw and when the page is left; there is
 * one draw, after Send; the report is stored before its first byte goes out, and every retry sends the same bytes.
 */
import { intro } from "./intro.js";
import * as outcome from "./outcome.js";
import { question, review } from "./questions.js";
import * as texts from "./texts.js";

/** @import { Answers, Page, Receipt, Shown } from "./types.js" */

/** One respondent's visit. */
export class Form {
  #page;
  #manifest;
  /** @type {Answers} */
  #answers = new Map();

  /** @param {Page} page */
  constructor(page) {
    this.#page = page;
    this.#manifest = page.survey.manifest;
  }

  /** Show the first screen, or what became of the report that this device made before. @returns {Promise<void>} */
  async start() {
    if (await this.#page.client.receipt(this.#manifest.survey)) return this.#resume();
    // A page that the browser keeps for the Back button must not keep answers.
    addEventListener("pagehide", this.#forget);
    this.#page.show(this.#intro(), false);
  }

  #intro() {
    return intro(this.#manifest, this.#page.privacyUrl, () => this.#ask(0));
  }

  /** @param {number} index @param {boolean} [fromReview] */
  #ask(index, fromReview = false) {
    const { questions } = this.#manifest;
    const toReview = fromReview || index + 1 === questions.length;
    const back = () => (index > 0 ? this.#ask(index - 1) : this.#page.show(this.#intro()));
    const way = {
      back: fromReview ? () => this.#review() : back,
      next: toReview ? () => this.#review() : () => this.#ask(index + 1),
      nextText: toReview ? texts.question.review : texts.question.next,
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
    this.#page.show(outcome.sending(texts.outcome.drawn));
    const receipt = await this.#page.client.submit(report);
    this.#conclude(receipt, report.body, () => outcome.sent({ ...receipt, body: report.body }));
  }

  #draw() {
    const answers = Object.fromEntries(this.#answers);
    try {
      return this.#page.survey.randomize(answers);
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

  /** Send what still waits, the same bytes, or show the receipt. @returns {Promise<void>} */
  async #resume() {
    const { client, keptBody } = this.#page;
    const body = await keptBody();
    if (body !== null) this.#page.show(outcome.sending(texts.outcome.kept));
    await client.flush();
    const receipt = await client.receipt(this.#manifest.survey);
    if (!receipt) return this.start();
    const shown = { ...receipt, body };
    this.#conclude(receipt, body, () => (body === null ? outcome.already(shown) : outcome.sent(shown)));
  }

  /**
   * Show what became of the report.
   * @param {Receipt} receipt @param {string | null} body @param {() => Node[]} taken
   */
  #conclude(receipt, body, taken) {
    const shown = { ...receipt, body };
    if (receipt.status === "queued") return this.#wait(receipt, shown);
    this.#page.show(receipt.status === "rejected" ? outcome.refused(shown, texts.refusal(receipt.problem)) : taken());
  }

  /** @param {Receipt} receipt @param {Shown} shown */
  #wait({ retryAfter = 0 }, shown) {
    const retry = () => {
      removeEventListener("online", retry);
      clearTimeout(timer);
      this.#page.run(() => this.#resume());
    };
    const timer = retryAfter ? setTimeout(retry, retryAfter * 1000) : undefined;
    addEventListener("online", retry);
    this.#page.show(outcome.waiting(shown, retry, retryAfter));
  }
}
