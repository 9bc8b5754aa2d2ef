/**
 * One question a screen, and the review.
 *
 * The laws here: there is no form element, so nothing can be submitted natively; an answer lives in the map that is
 * passed in and in the one input on the screen, never in a name, title or address.
 */
import { button, card, heading, make, odds } from "./screens.js";
import * as texts from "./texts.js";

/** @import * as T from "./types.js" */

const words = texts.question;

/** Build the screen of a question. @type {T.AskQuestion} */
export function question(questions, index, answers, { back, next, nextText }) {
  const { id, text, design } = questions[index];
  const error = make("div", { id: "error", role: "alert", tabindex: -1 });
  const inputs = [true, false].map((value) => {
    const input = make("input", { type: "radio", name: "choice", autocomplete: "off" });
    const change = () => {
      answers.set(id, value);
      group.removeAttribute("aria-invalid");
      error.removeAttribute("class");
      error.replaceChildren();
    };
    return Object.assign(input, { checked: answers.get(id) === value, onchange: change });
  });
  const choices = inputs.map((input, i) => make("label", { class: "choice" }, input, i ? words.no : words.yes));
  const group = make(
    "fieldset",
    { role: "radiogroup", "aria-required": true, "aria-describedby": "error odds" },
    make("legend", {}, heading(text)),
    error,
    ...choices,
  );
  const goOn = () => {
    if (answers.has(id)) return next();
    // What is missing is announced where it is read first, with a way to the first choice.
    group.setAttribute("aria-invalid", "true");
    error.className = "notice bad";
    // A button and not a link to a fragment: the address never changes.
    error.replaceChildren(button(words.missing, () => inputs[0].focus(), { class: "link" }));
    return error.focus();
  };
  group.onkeydown = ({ key, target }) => {
    if (key === "Enter" && target instanceof HTMLInputElement) goOn();
  };
  const about = make("div", { id: "odds", class: "small" }, odds(design.timesIn100));
  const number = index + 1;
  const progress = words.progress + number + words.of + questions.length;
  return screen(progress, number, questions.length, card(group, about), back, button(nextText, goOn));
}

/** Build the review. @type {T.Review} */
export function review(questions, answers, { change, back, send }) {
  const rows = questions.map(({ id, text }, index) => {
    const changing = button(texts.review.change, () => change(index), { class: "link" });
    changing.append(make("span", { class: "visually-hidden" }, texts.review.question + (index + 1)));
    return make("li", {}, make("p", {}, text), make("strong", {}, answers.get(id) ? words.yes : words.no), changing);
  });
  const all = card(
    heading(texts.review.heading),
    make("ol", { class: "review" }, ...rows),
    make("p", {}, texts.review.explanation),
  );
  return screen(texts.review.progress, rows.length, rows.length, all, back, button(texts.review.send, send));
}

/** @type {T.Screen} */
function screen(progress, value, max, content, back, onward) {
  return [
    make("p", { class: "eyebrow", id: "progress" }, progress),
    make("progress", { value, max, "aria-labelledby": "progress" }),
    content,
    make("div", { class: "actions way" }, button(words.back, back, { class: "quiet" }), onward),
  ];
}
