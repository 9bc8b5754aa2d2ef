/** The payload of a manifest in its one spelling: known keys in order, names, texts, times. */
import { need } from "../errors.js";
import { examinePresentation } from "./presentation.js";
import { examineQuestion } from "./questions.js";
import { check, checkEpsilon, checkKeys, checkList, checkName, checkText, checkWhole, parse } from "./values.js";

/** @import { Manifest } from "../manifest.js" */

const KEYS =
  "format,survey,title,consent,population,opens,closes,epsilon,ask,panel,language,translations,hosts,about,groups,questions";
const LARGEST_PAYLOAD = 4e6;
const LARGEST_POPULATION = 1e10;
const MOST_QUESTIONS = 200;

/**
 * Refuse a payload that another reader could read differently.
 * @param {Uint8Array} payload @param {Manifest} manifest that was read from it
 */
export function examinePayload(payload, manifest) {
  need(payload.length <= LARGEST_PAYLOAD, "it is too large");
  const fields = parse(payload, true);
  // A survey without them has no such fields.
  const isThere = (/** @type {string} */ key) => !/^(about|groups)$/.test(key) || Object.hasOwn(Object(fields), key);
  const keys = KEYS.split(",").filter(isThere);
  const { epsilon, questions } = checkKeys(fields, keys);
  checkEpsilon(epsilon);
  examineHead(manifest);
  checkList(questions, 1, MOST_QUESTIONS);
  for (const [i, question] of manifest.questions.entries()) examineQuestion(question, questions[i]);
  examinePresentation(manifest);
}

/** @param {Manifest} manifest */
function examineHead({ survey, title, consent, population, opens, closes, panel }) {
  checkName(survey);
  checkText(title);
  checkText(consent);
  if (population !== null) checkWhole(population, 1, LARGEST_POPULATION);
  const [first, last] = [opens, closes].map(checkTime);
  need(!first || !last || first < last, "it closes before it opens");
  if (panel !== null) checkName(panel);
}

/** @param {string | null} value */
function checkTime(value) {
  if (value === null) return value;
  const message = "a time is written as 2026-11-16T09:00:00Z";
  const text = check(value, /^(?!0000)\d{4}-/, message);
  // JavaScript reads 30 February as 2 March.
  need(new Date(text).toJSON() === text.replace("Z", ".000Z"), message);
  return text;
}
