/** What is asked. Texts become text nodes, never HTML; without a form element nothing is submitted natively. */
import * as texts from "./texts.js";

const { words } = texts;

/** @type {F.Make} */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** @type {F.Button} */
export function button(text, press, look = "") {
  const made = make("button", { type: "button", class: look }, text);
  made.onclick = press;
  return made;
}

/** @param {string} text */
export function heading(text) {
  return make("h1", { tabindex: -1 }, text);
}

/** @type {F.Card} */
export function card(...children) {
  return make("section", { class: "card" }, ...children);
}

/** @param {string} type */
export function input(type, checked = false) {
  return Object.assign(document.createElement("input"), { type, checked, name: "choice", autocomplete: "off" });
}

/** Let one of some answers be chosen. @type {F.Radios} */
export function radios(choices) {
  return (chosen) => {
    const inputs = choices.map((choice) => input("radio", choice === chosen));
    const nodes = inputs.map((input, i) => make("label", { class: "choice" }, input, choices[i][1]));
    return { nodes, target: inputs[0], read: () => choices.find((_, i) => inputs[i].checked) };
  };
}

const RADIOS = { role: "radiogroup", "aria-required": true };
const yesNo = radios([
  [true, words.yes],
  [false, words.no],
]);

/** Consequences before process, odds before consent. @type {F.Intro} */
export function intro({ title, consent, epsilon, questions, ask }, items, notes, privacyUrl, begin) {
  const least = items.reduce((a, b) => (b.design.epsilon.exceeds(a.design.epsilon) ? b : a));
  const { band } = least.design.epsilon;
  const odds = oddsOf(least);
  const isSame = items.every((item) => String(oddsOf(item)) === String(odds));
  const label = card(
    make("h2", {}, words.label),
    make("table", { class: "label" }, make("tbody", {}, ...texts.rows(band).map(row))),
    ...notes.map((note) => make("p", {}, note)),
    sentence(odds, isSame ? "" : words.least),
    picture(odds),
    make("p", { class: "total" }, texts.total(ask ?? questions.length, band, epsilon.band, roundedUp(epsilon))),
  );
  label.id = "label";
  return [
    heading(title),
    label,
    make("p", {}, make("a", { href: privacyUrl }, words.privacy)),
    card(
      make("h2", {}, words.consent),
      make("p", { class: "researchers-text" }, consent),
      make("div", { class: "actions" }, button(words.begin, begin)),
    ),
  ];
}

/** @type {F.OddsOf} */
function oddsOf({ odds, design }) {
  return odds ?? texts.odds(design.timesIn100);
}

/** @param {string[]} row */
function row([who, verdict, reason]) {
  const strong = make("strong", { class: verdict === "No" ? "verdict plain-no" : "verdict" }, `${verdict}.`);
  return make("tr", {}, make("th", { scope: "row" }, who), make("td", {}, strong, ` ${reason}`));
}

/** The marks are the legend of the picture. @type {F.Sentence} */
function sentence([, lead, real, other], before = "", after = "") {
  return make("p", { class: "odds" }, before + lead, mark("real"), real, mark("other"), other, after);
}

/** Draw 100 dots, each kind together. @param {F.Odds} odds */
function picture([times, ...sentence]) {
  const dots = [...Array(100).keys()].map((i) => mark(i < times ? "real" : "other"));
  return make("div", { class: "dots", role: "img", "aria-label": words.picture + sentence.join("") }, ...dots);
}

/** @param {string} kind */
function mark(kind) {
  return make("span", { class: `mark ${kind}`, "aria-hidden": true });
}

/** Write two decimals. @param {{ units: bigint }} epsilon */
function roundedUp({ units }) {
  return (Number((units + 10n ** 18n - 1n) / 10n ** 18n) / 100).toFixed(2);
}

/** @type {F.AskQuestion} */
export function question(items, index, answers, { back, next, nextText }) {
  const { id, text, field = yesNo, attributes = RADIOS, missing = words.missing, more } = items[index];
  const onward = button(nextText, goOn);
  const { nodes, target, marked, read } = field(answers.get(id), onward);
  const error = make("div", { id: "error", class: "notice bad", role: "alert", tabindex: -1 });
  const legend = make("legend", {}, heading(text));
  const group = make("fieldset", attributes, legend, error, ...nodes);
  group.setAttribute("aria-describedby", "error odds");
  const keep = () => {
    const answer = read();
    return answer && answers.set(id, answer);
  };
  function goOn() {
    if (keep()) return next();
    (marked ?? group).ariaInvalid = "true";
    // No link to a fragment: the address never changes.
    error.replaceChildren(button(missing, () => target.focus(), "link"));
    return error.focus();
  }
  group.oninput = () => {
    keep();
    (marked ?? group).ariaInvalid = null;
    error.replaceChildren();
  };
  group.onkeydown = ({ key, target }) => {
    if (key === "Enter" && target instanceof HTMLInputElement) goOn();
  };
  const about = make("div", { id: "odds", class: "small" }, sentence(oddsOf(items[index]), "", more));
  const progress = words.question + (index + 1) + words.of + items.length;
  return screen(progress, index + 1, items.length, card(group, about), back, onward);
}

/** @type {F.Review} */
export function review(items, answers, { change, back, send }) {
  const rows = items.map(({ id, text }, index) => {
    const changing = button(words.change, () => change(index), "link");
    changing.append(make("span", { class: "visually-hidden" }, words.changed + (index + 1)));
    return make("li", {}, make("p", {}, text), make("strong", {}, answers.get(id)?.[1] ?? ""), changing);
  });
  const list = make("ol", { class: "review" }, ...rows);
  const all = card(heading(words.check), list, make("p", {}, words.explanation));
  return screen(words.review, rows.length, rows.length, all, back, button(words.send, send));
}

/** @type {F.Screen} */
function screen(progress, value, max, content, back, onward) {
  return [
    make("p", { class: "eyebrow", id: "progress" }, progress),
    make("progress", { value, max, "aria-labelledby": "progress" }),
    content,
    make("div", { class: "actions way" }, button(words.back, back, "quiet"), onward),
  ];
}
