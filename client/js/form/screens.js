/**
 * What screens are made of, the first screen and the last ones.
 *
 * The laws here: a text becomes a text node, nothing is ever parsed as HTML, so a survey's words stay words. The first
 * screen has the order of the evidence: consequences before process, odds before examples, in text and as a grouped
 * picture. The last ones know the report, never the answers: there is no second draw and no way back.
 */
import * as texts from "./texts.js";

/** @import * as T from "./types.js" */

const SVG = "http://www.w3.org/2000/svg";
const [COLUMNS, ROWS, STEP] = [20, 5, 10];

/** Make an element. @type {T.Make} */
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** @type {T.Fill} */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** @type {T.Button} */
export function button(text, press, attributes = {}) {
  const made = make("button", { type: "button", ...attributes }, text);
  made.onclick = press;
  return made;
}

/** Make the heading of a screen; the focus moves there when the screen is shown. @param {string} text */
export function heading(text) {
  return make("h1", { tabindex: -1 }, text);
}

/** @param {...(Node | string)} children */
export function card(...children) {
  return make("section", { class: "card" }, ...children);
}

/** Build the first screen. @type {T.Intro} */
export function intro({ title, consent, epsilon, questions }, privacyUrl, begin) {
  const { design } = questions.reduce((least, next) =>
    next.design.epsilon.exceeds(least.design.epsilon) ? next : least,
  );
  const times = design.timesIn100;
  const isSame = questions.every((question) => question.design.timesIn100 === times);
  const label = card(
    make("h2", {}, texts.label.question),
    make("table", { class: "label" }, make("tbody", {}, ...texts.rows(design.epsilon.band).map(row))),
    make("p", {}, texts.label.process),
    odds(times, isSame ? "" : texts.label.least),
    picture(times),
    make("p", { class: "total" }, texts.total(questions.length, design.epsilon.band, epsilon.band, roundedUp(epsilon))),
  );
  label.id = "label";
  return [
    heading(title),
    label,
    make("p", {}, make("a", { href: privacyUrl }, texts.label.link)),
    card(
      make("h2", {}, texts.label.consent),
      make("p", { class: "researchers-text" }, consent),
      make("div", { class: "actions" }, button(texts.label.begin, begin)),
    ),
  ];
}

/** Say the odds of a question; the marks in it are the legend of the picture. @param {number} times in 100 */
export function odds(times, before = "") {
  const [lead, real, other] = texts.odds(times);
  const mark = (/** @type {string} */ kind) => make("span", { class: `mark ${kind}`, "aria-hidden": true });
  return make("p", { class: "odds" }, before + lead, mark("real"), real, mark("other"), other);
}

/** Build a screen of a heading, paragraphs and more. @type {T.Outcome} */
export function outcome([title, ...paragraphs], ...more) {
  return [card(heading(title), ...paragraphs.map((text) => make("p", {}, text)), ...more)];
}

/** @type {T.ShowReceipt} */
export function receipt({ survey, id }, body, summary) {
  const words = texts.receipt;
  const fact = (/** @type {string} */ name, /** @type {string} */ value) => [
    make("dt", {}, name),
    make("dd", { class: "mono" }, value),
  ];
  const facts = make("dl", { class: "facts" }, ...fact(words.survey, survey), ...fact(words.report, id));
  const explanation = make("p", { class: "small" }, words.body);
  const see = body && make("details", {}, make("summary", {}, summary), make("pre", {}, body), explanation);
  return [make("h2", {}, words.heading), facts, see ?? ""];
}

/** @param {string[]} row */
function row([who, verdict, reason]) {
  const strong = make("strong", { class: verdict === "No" ? "verdict plain-no" : "verdict" }, `${verdict}.`);
  return make("tr", {}, make("th", { scope: "row" }, who), make("td", {}, strong, ` ${reason}`));
}

/** Draw 100 dots, column by column, so that each kind stands together. @param {number} times */
function picture(times) {
  const dots = Array.from({ length: COLUMNS * ROWS }, (_, index) => {
    const [cx, cy] = [Math.floor(index / ROWS), index % ROWS].map((place) => place * STEP + STEP / 2);
    const look = index < times ? { r: 3.9, class: "real" } : { r: 3, class: "other" };
    return draw("circle", { cx, cy, ...look });
  });
  const words = texts.label.picture + texts.odds(times).join("");
  const viewBox = `0 0 ${COLUMNS * STEP} ${ROWS * STEP}`;
  return draw("svg", { viewBox, class: "dots", role: "img", "aria-label": words }, ...dots);
}

/** @type {T.Draw} */
function draw(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** Write an epsilon with two decimals, never smaller than it is. @param {import("../src/epsilon.js").Epsilon} epsilon */
function roundedUp({ units }) {
  const hundredths = String((units + 10n ** 18n - 1n) / 10n ** 18n).padStart(3, "0");
  return `${hundredths.slice(0, -2)}.${hundredths.slice(-2)}`;
}
