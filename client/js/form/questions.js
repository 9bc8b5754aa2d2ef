/** What is asked. Texts become text nodes, never HTML; without a form element nothing is submitted natively. */
import * as texts from "./texts.js";

const { words } = texts;

/** @type {F.Make} */
export function make(name, attributes = {}, ...children) {
  const space = /svg|circle/.test(name) ? "2000/svg" : "1999/xhtml";
  const element = /** @type {HTMLElement} */ (document.createElementNS(`http://www.w3.org/${space}`, name));
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

/** Consequences before process, odds before consent. @type {F.Intro} */
export function intro({ title, consent, epsilon, questions }, privacyUrl, begin) {
  const least = questions.map(({ design }) => design).reduce((a, b) => (b.epsilon.exceeds(a.epsilon) ? b : a));
  const {
    timesIn100: times,
    epsilon: { band },
  } = least;
  const isSame = questions.every(({ design }) => design.timesIn100 === times);
  const label = card(
    make("h2", {}, words.label),
    make("table", { class: "label" }, make("tbody", {}, ...texts.rows(band).map(row))),
    make("p", {}, words.process),
    odds(times, isSame ? "" : words.least),
    picture(times),
    make("p", { class: "total" }, texts.total(questions.length, band, epsilon.band, roundedUp(epsilon))),
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

/** @param {string[]} row */
function row([who, verdict, reason]) {
  const strong = make("strong", { class: verdict === "No" ? "verdict plain-no" : "verdict" }, `${verdict}.`);
  return make("tr", {}, make("th", { scope: "row" }, who), make("td", {}, strong, ` ${reason}`));
}

/** The marks are the legend of the picture. @param {number} times in 100 */
function odds(times, before = "") {
  const [lead, real, other] = texts.odds(times);
  const [one, two] = ["real", "other"].map((kind) => make("span", { class: `mark ${kind}`, "aria-hidden": true }));
  return make("p", { class: "odds" }, before + lead, one, real, two, other);
}

/** Draw 100 dots, each kind together. @param {number} times */
function picture(times) {
  const dots = Array.from({ length: 100 }, (_, i) => {
    const look = i < times ? { r: 3.9, class: "real" } : { r: 3, class: "other" };
    return make("circle", { cx: Math.floor(i / 5) * 10 + 5, cy: (i % 5) * 10 + 5, ...look });
  });
  const name = words.picture + texts.odds(times).join("");
  return make("svg", { viewBox: "0 0 200 50", class: "dots", role: "img", "aria-label": name }, ...dots);
}

/** Write two decimals. @param {{ units: bigint }} epsilon */
function roundedUp({ units }) {
  const hundredths = String((units + 10n ** 18n - 1n) / 10n ** 18n).padStart(3, "0");
  return hundredths.replace(/(..)$/, ".$1");
}

/** @type {F.AskQuestion} */
export function question(questions, index, answers, { back, next, nextText }) {
  const { id, text, design } = questions[index];
  const error = make("div", { id: "error", role: "alert", tabindex: -1 });
  const inputs = [true, false].map((value) => {
    const input = make("input", { type: "radio", name: "choice", autocomplete: "off" });
    const onchange = () => {
      answers.set(id, value);
      group.removeAttribute("aria-invalid");
      error.className = "";
      error.replaceChildren();
    };
    return Object.assign(input, { checked: answers.get(id) === value, onchange });
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
    group.setAttribute("aria-invalid", "true");
    error.className = "notice bad";
    // No link to a fragment: the address never changes.
    error.replaceChildren(button(words.missing, () => inputs[0].focus(), "link"));
    return error.focus();
  };
  group.onkeydown = ({ key, target }) => {
    if (key === "Enter" && target instanceof HTMLInputElement) goOn();
  };
  const about = make("div", { id: "odds", class: "small" }, odds(design.timesIn100));
  const progress = words.question + (index + 1) + words.of + questions.length;
  return screen(progress, index + 1, questions.length, card(group, about), back, button(nextText, goOn));
}

/** @type {F.Review} */
export function review(questions, answers, { change, back, send }) {
  const rows = questions.map(({ id, text }, index) => {
    const changing = button(words.change, () => change(index), "link");
    changing.append(make("span", { class: "visually-hidden" }, words.changed + (index + 1)));
    return make("li", {}, make("p", {}, text), make("strong", {}, answers.get(id) ? words.yes : words.no), changing);
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
