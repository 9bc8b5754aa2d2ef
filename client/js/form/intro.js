/**
 * The first screen: who could learn an answer, how it works, the odds of this survey, then the consent text.
 *
 * The order is that of the evidence: consequences before process, odds before examples, and odds in text and as
 * a grouped picture of 100 dots.
 */
import { button, draw, heading, make } from "./dom.js";
import * as texts from "./texts.js";

/** @import { Manifest, Question } from "./types.js" */

const [COLUMNS, ROWS, STEP] = [20, 5, 10];

/**
 * Build the first screen.
 * @param {Manifest} manifest @param {string} privacyUrl @param {() => void} begin
 */
export function intro(manifest, privacyUrl, begin) {
  const least = leastProtected(manifest);
  return [
    heading(manifest.title),
    make(
      "section",
      { class: "card", id: "label" },
      make("h2", {}, texts.label.question),
      table(least.design.epsilon.band),
      make("p", {}, texts.label.process),
      ...odds(manifest, least),
      make("p", { class: "total" }, total(manifest, least)),
    ),
    make("p", {}, make("a", { href: privacyUrl }, texts.label.link)),
    make(
      "section",
      { class: "card" },
      make("h2", {}, texts.consent.heading),
      make("p", { class: "researchers-text" }, manifest.consent),
      make("div", { class: "actions" }, button(texts.consent.begin, begin)),
    ),
  ];
}

/**
 * Build the sentence of the odds of one question; the marks in it are the legend of the picture.
 * @param {number} times how often in 100 the draw is the answer
 * @param {...string} before
 */
export function oddsSentence(times, ...before) {
  const { lead, real, other } = texts.odds(times);
  const mark = (/** @type {string} */ kind) => make("span", { class: `mark ${kind}`, "aria-hidden": "true" });
  return make("p", { class: "odds" }, ...before, `${lead} `, mark("real"), `${real} `, mark("other"), other);
}

/** @param {string} band */
function table(band) {
  const row = (/** @type {[string, string, string]} */ [who, verdict, reason]) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, who),
      make(
        "td",
        {},
        make("strong", { class: verdict === "No" ? "verdict plain-no" : "verdict" }, `${verdict}.`),
        ` ${reason}`,
      ),
    );
  return make("table", { class: "label" }, make("tbody", {}, ...texts.rows(band).map(row)));
}

/** @param {Manifest} manifest @param {Question} least */
function odds(manifest, least) {
  const times = least.design.timesIn100;
  const same = manifest.questions.every(({ design }) => design.timesIn100 === times);
  return [oddsSentence(times, ...(same ? [] : [`${texts.label.least} `])), picture(times)];
}

/**
 * Draw 100 dots, column by column, so that each kind stands together. The sentence beside it says the same.
 * @param {number} times
 */
function picture(times) {
  const dots = Array.from({ length: COLUMNS * ROWS }, (_, index) => {
    const [x, y] = [Math.floor(index / ROWS), index % ROWS].map((place) => String(place * STEP + STEP / 2));
    const kind = index < times ? "real" : "other";
    return draw("circle", { cx: x, cy: y, r: kind === "real" ? "3.9" : "3", class: kind });
  });
  const box = `0 0 ${COLUMNS * STEP} ${ROWS * STEP}`;
  const { lead, real, other } = texts.odds(times);
  const words = `${texts.label.picture} ${lead} ${real} ${other}`;
  return draw("svg", { viewBox: box, class: "dots", role: "img", "aria-label": words }, ...dots);
}

/** @param {Manifest} manifest @param {Question} least */
function total({ questions, epsilon }, least) {
  if (questions.length === 1) return texts.label.one(roundedUp(epsilon), epsilon.band);
  return texts.label.all(questions.length, least.design.epsilon.band, roundedUp(epsilon), epsilon.band);
}

/** @param {Manifest} manifest */
function leastProtected({ questions }) {
  return questions.reduce((least, next) => (next.design.epsilon.units > least.design.epsilon.units ? next : least));
}

/**
 * Write an epsilon with two decimals, never smaller than it is.
 * @param {import("../src/epsilon.js").Epsilon} epsilon
 */
function roundedUp({ units }) {
  const hundredths = String((units + 10n ** 18n - 1n) / 10n ** 18n).padStart(3, "0");
  return `${hundredths.slice(0, -2)}.${hundredths.slice(-2)}`;
}
