/** What became of the report, and what was in it. */

import { fill } from "../src/sentences.js";
import { categoriesOf, namesOf, writeNumber } from "./answers.js";
import { groupsIn, language, textsOf, translate, words } from "./language.js";
import { stamp } from "./screen.js";
import { sentOf } from "./sentences.js";

/** @import { Manifest } from "../src/manifest.js" */
/** @import { AskedQuestion, Receipt } from "../src/types.js" */

// A draw to a codebook stands for thousands of answers.
const MOST_NAMES = 12;

/**
 * @param {Manifest} manifest @param {Receipt} receipt @param {string | null} body
 * @param {number} departure before which it is held @param {Record<string, () => void>} acts what the buttons do
 */
export function outcomeScreen(manifest, receipt, body, departure, acts) {
  const { questions, ask, about = {} } = manifest;
  const { thanks = "", link = "" } = { ...about, ...textsOf(manifest) };
  const { problem = "", retryAfter } = receipt;
  const { answers: draws = {}, groups = "" } = JSON.parse(body ?? "{}");
  return stamp(endingOf(receipt, body), {
    problem,
    thanks,
    follow: { hidden: !link, href: link, textContent: link },
    address: location.href,
    seconds: retryAfter,
    moment: new Date(departure).toLocaleTimeString(language, { timeStyle: "short" }),
    details: { hidden: !body },
    body: body ?? "",
    draws: questions.map((question) => explain(question, `${draws[question.id]}`)),
    ...groupsIn(groups, manifest),
    blanks: { hidden: !ask },
    ...acts,
  }).copy;
}

/** Return the template of an ending. @param {Receipt} receipt @param {string | null} body */
function endingOf({ status, problem = "", retryAfter }, body) {
  if (problem.endsWith(":survey-closed")) return "closed";
  if (status === "held") return status;
  if (retryAfter) return "busy";
  if (status === "queued" || status === "rejected") return status;
  return body ? "sent" : "already";
}

/** @param {AskedQuestion} question @param {string} draw */
function explain(question, draw) {
  const { text } = translate(question);
  return stamp("draw", { question: text, phrase: sentOf(question), draw: nameDraw(question, draw) }).copy;
}

/**
 * Return the number that a draw stands for, or the names of the answers.
 * @param {AskedQuestion} question @param {string} draw
 */
function nameDraw({ design, parts, ...question }, draw) {
  const [min, max, share] = [question.min, question.max, design.share(draw) ?? "-"].map(Number);
  if (Number.isFinite(share)) return writeNumber(Number((min + share * (max - min)).toPrecision(3)));
  const [first, second] = (parts ?? [question]).map(namesByCode);
  const names = second ? first.flatMap((one) => second.map((other) => `${one} × ${other}`)) : first;
  const drawn = names.filter((_, code) => design.names(draw, code));
  const isSet = drawn.length > 1 && question.type !== "multi_choice";
  const shown = drawn.length > MOST_NAMES ? [...drawn.slice(0, MOST_NAMES), "…"] : drawn;
  return fill(isSet ? words.one_of : "{names}", { names: shown.join(", ") }, words);
}

/** Return the names of the answers in the order of their codes. @param {any} part @returns {string[]} */
function namesByCode(part) {
  const names = new Map(categoriesOf(part).map((choice) => [choice[0], namesOf([choice])]));
  const answers = part.masses ? [...part.masses, ...part.extras] : part.answers;
  return answers.map((/** @type {unknown} */ answer) => names.get(answer) ?? `${answer}`);
}
