/** The payload of a manifest, field by field: known keys in order, texts, times, and one format for each survey. */
import { need } from "./errors.js";
import { examinePresentation } from "./strict_presentation.js";
import { examinePlainQuestion, examineQuestion } from "./strict_questions.js";
import {
  check,
  checkDistinct,
  checkKeys,
  checkList,
  checkName,
  checkText,
  checkWhole,
  EPSILON,
  parse,
} from "./strict_values.js";

/** @import { Fields } from "./types.js" */

const HEAD = "format,survey,title,consent,population,opens,closes,epsilon";
const KEYS = new Map([
  ["hushpoll-manifest-1", `${HEAD},questions`],
  ["hushpoll-manifest-2", `${HEAD},ask,panel,questions`],
  ["hushpoll-manifest-3", `${HEAD},ask,panel,language,translations,hosts,questions`],
]);
const MOST_QUESTIONS = 200;

/** Refuse a payload that another reader could read otherwise. @param {Uint8Array} payload */
export function examinePayload(payload) {
  const { format, ...found } = Object(parse(payload, true));
  const keys = KEYS.get(format);
  need(keys, "its format is unknown: update Hushpoll");
  need(payload.length <= (format === "hushpoll-manifest-1" ? 1e6 : 4e6), "it is too large");
  const fields = checkKeys({ format, ...found }, keys);
  examineHead(fields);
  examineQuestions(fields);
}

/** @param {Fields} fields */
function examineHead({ survey, title, consent, population, opens, closes, epsilon }) {
  check(epsilon, EPSILON, "an epsilon is a number");
  checkName(survey);
  checkText(title);
  checkText(consent);
  if (population !== null) checkWhole(population, 1, 1e10);
  const [first, last] = [opens, closes].map(checkTime);
  need(!first || !last || first < last, "it closes before it opens");
}

/** @param {unknown} value */
function checkTime(value) {
  if (value === null) return value;
  const message = "a time is written as 2026-11-16T09:00:00Z";
  const text = check(value, /^(?!0000)\d{4}-/, message);
  // JavaScript reads 30 February as 2 March.
  need(new Date(text).toJSON() === text.replace("Z", ".000Z"), message);
  return text;
}

/** @param {Fields} fields */
function examineQuestions(fields) {
  const { format, ask = null, panel = null, language, translations = {}, hosts = [] } = fields;
  const questions = checkList(fields.questions, 1, MOST_QUESTIONS).map((question) => {
    if (format === "hushpoll-manifest-1") return examinePlainQuestion(question);
    return examineQuestion(question, format === "hushpoll-manifest-2" ? "mechanism" : "when,mechanism");
  });
  const isShown = language || Object.keys(translations).length || hosts.length || questions.some(({ when }) => when);
  const isPlain = questions.map(({ mechanism }) => mechanism.name === "warner");
  const isGeneral = ask !== null || panel !== null || isPlain.includes(false);
  need(getFormat(isShown, isGeneral) === format, `it is written in format ${isShown ? 3 : isGeneral ? 2 : 1}`);
  checkDistinct(questions.flatMap(idsOf), "two questions have the same id");
  if (ask !== null) checkWhole(ask, 1, questions.length - 1);
  need(
    ask === null || !isPlain.includes(true),
    "a survey that asks some of its questions needs draws that can be blank",
  );
  const repeats = questions.some(({ mechanism }) => mechanism.name === "repeated");
  need(repeats === (panel !== null), "a survey has a panel if, and only if, it has repeated questions");
  if (panel !== null) checkName(panel);
  if (isShown) examinePresentation({ language, translations, hosts, questions });
}

/** Name the earliest format that suffices. @param {unknown} isShown @param {boolean} isGeneral */
function getFormat(isShown, isGeneral) {
  if (isShown) return "hushpoll-manifest-3";
  return isGeneral ? "hushpoll-manifest-2" : "hushpoll-manifest-1";
}

/** @param {Fields} question @returns {string[]} */
function idsOf({ id, parts = [] }) {
  return [id, ...parts.map((/** @type {Fields} */ part) => part.id)];
}
