/**
 * One question a screen, and the review.
 *
 * The laws here: there is no form element, so nothing can be submitted natively; an answer lives in the map that is
 * passed in and in the one input on the screen, never in a name, title or address.
 */
import { button, heading, make } from "./dom.js";
import { oddsSentence } from "./intro.js";
import * as texts from "./texts.js";

/** @import { Answers, Question } from "./types.js" */

/**
 * Build the screen of a question.
 * @param {readonly Question[]} questions @param {number} index @param {Answers} answers
 * @param {{ back: () => void, next: () => void, nextText: string }} way
 */
export function question(questions, index, answers, { back, next, nextText }) {
  const { id, text, design } = questions[index];
  const error = make("div", { id: "error", role: "alert", tabindex: "-1" });
  const choose = (/** @type {boolean} */ value) => {
    answers.set(id, value);
    group.removeAttribute("aria-invalid");
    error.removeAttribute("class");
    error.replaceChildren();
  };
  const choices = [true, false].map((value) => choice(value, answers.get(id), () => choose(value)));
  const goOn = () => (answers.has(id) ? next() : complain(error, group, choices[0]));
  const group = make(
    "fieldset",
    { role: "radiogroup", "aria-required": "true", "aria-describedby": "error odds", keydown: onEnter(goOn) },
    make("legend", {}, heading(text)),
    error,
    ...choices,
  );
  return [
    ...progress(texts.question.progress(index + 1, questions.length), index + 1, questions.length),
    make(
      "section",
      { class: "card" },
      group,
      make("div", { id: "odds", class: "small" }, oddsSentence(design.timesIn100)),
    ),
    actions(button(texts.question.back, back, { class: "quiet" }), button(nextText, goOn)),
  ];
}

/**
 * Build the review.
 * @param {readonly Question[]} questions @param {Answers} answers
 * @param {{ change: (index: number) => void, back: () => void, send: () => void }} way
 */
export function review(questions, answers, { change, back, send }) {
  const row = (/** @type {Question} */ { id, text }, /** @type {number} */ index) =>
    make(
      "li",
      {},
      make("p", {}, text),
      make("strong", {}, answers.get(id) ? texts.question.yes : texts.question.no),
      changeButton(index, change),
    );
  return [
    ...progress(texts.review.progress, questions.length, questions.length),
    make(
      "section",
      { class: "card" },
      heading(texts.review.heading),
      make("ol", { class: "review" }, ...questions.map(row)),
      make("p", {}, texts.review.explanation),
    ),
    actions(button(texts.question.back, back, { class: "quiet" }), button(texts.review.send, send)),
  ];
}

/** @param {boolean} value @param {boolean | undefined} chosen @param {() => void} choose */
function choice(value, chosen, choose) {
  const input = make("input", { type: "radio", name: "choice", autocomplete: "off", change: choose });
  /** @type {HTMLInputElement} */ (input).checked = value === chosen;
  return make("label", { class: "choice" }, input, value ? texts.question.yes : texts.question.no);
}

/**
 * Announce what is missing, where it is read first, with a way to the first choice.
 * @param {HTMLElement} error @param {HTMLElement} group @param {HTMLElement} first
 */
function complain(error, group, first) {
  const input = /** @type {HTMLElement} */ (first.firstChild);
  group.setAttribute("aria-invalid", "true");
  error.className = "notice bad";
  // A button and not a link to a fragment: the address never changes.
  error.replaceChildren(button(texts.question.missing, () => input.focus(), { class: "link" }));
  error.focus();
}

/** @param {number} index @param {(index: number) => void} change */
function changeButton(index, change) {
  const made = button(texts.review.change, () => change(index), { class: "link" });
  made.append(make("span", { class: "visually-hidden" }, texts.review.changeQuestion(index + 1)));
  return made;
}

/** @param {string} text @param {number} done @param {number} of */
function progress(text, done, of) {
  return [
    make("p", { class: "eyebrow", id: "progress" }, text),
    make("progress", { value: String(done), max: String(of), "aria-labelledby": "progress" }),
  ];
}

/** @param {...HTMLElement} buttons */
function actions(...buttons) {
  return make("div", { class: "actions way" }, ...buttons);
}

/** @param {() => void} goOn */
function onEnter(goOn) {
  return (/** @type {Event} */ event) => {
    const pressed = /** @type {KeyboardEvent} */ (event);
    if (pressed.key === "Enter" && pressed.target instanceof HTMLInputElement) goOn();
  };
}
