/** How a survey is shown: its language, complete translations, who may embed it, and when a question is asked at all. */
import { need } from "./errors.js";
import { check, checkDistinct, checkKeys, checkList, checkText } from "./strict_values.js";

/** @import { Fields } from "./types.js" */

const TAG = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;
const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const HOST = new RegExp(
  `^(?:https://${LABEL}(?:\\.${LABEL}){0,9}|http://(?:localhost|127\\.0\\.0\\.1))(?::([1-9]\\d{0,4}))?$`,
);
const LARGEST_PORT = 65_535;
const PARENTS = ["yes_no", "single_choice", "multi_choice", "scale"];

/** Examine what only the page looks at. @param {Fields} fields */
export function examinePresentation({ language, translations, hosts, questions }) {
  if (language !== null) checkTag(language);
  examineHosts(hosts);
  const asked = /** @type {Fields[]} */ (questions).flatMap((question) => [question, ...(question.parts ?? [])]);
  examineTranslations(translations, language, asked);
  /** @type {Fields[]} */
  const earlier = [];
  for (const question of questions) {
    if (question.when !== null) examineWhen(question, earlier);
    earlier.push(question, ...(question.parts ?? []));
  }
}

/** @param {unknown} value */
function checkTag(value) {
  return check(value, TAG, 'a language is a tag such as "en", "fr-CA" or "zh-Hant"');
}

/** @param {unknown} value */
function examineHosts(value) {
  const hosts = checkList(value, 0, 20);
  checkDistinct(hosts, "a host stands there twice");
  for (const host of hosts) {
    const message = "a host is written as https://example.org, in lower case and without a path";
    const [, port = "0"] = HOST.exec(check(host, HOST, message)) ?? [];
    need(Number(port) <= LARGEST_PORT, message);
  }
}

/** @param {unknown} value @param {unknown} language @param {readonly Fields[]} asked */
function examineTranslations(value, language, asked) {
  need(isObject(value), "translations are an object");
  const tags = Object.keys(Object(value)).map(checkTag);
  checkList(tags, 0, 50);
  need(tags.length === 0 || language !== null, "a survey with translations needs a language");
  need(String(tags) === String([...tags].sort()), "translations stand in the order of their tags");
  need(!tags.includes(String(language)), "a translation is in the survey's own language");
  for (const translation of Object.values(Object(value))) examineTranslation(translation, asked);
}

/** @param {unknown} value @param {readonly Fields[]} asked */
function examineTranslation(value, asked) {
  const { title, consent, questions } = checkKeys(value, "title,consent,questions");
  checkText(title);
  checkText(consent);
  need(isObject(questions), "the questions of a translation are an object");
  checkKeys(questions, asked.map(({ id }) => id).join(","));
  for (const question of asked) examineTexts(questions[question.id], question);
}

/** @param {unknown} value @param {Fields} question */
function examineTexts(value, question) {
  const there = ["options", "labels"].filter((key) => isObject(value) && Object.hasOwn(Object(value), key));
  const texts = checkKeys(value, ["text", ...there].join(","));
  checkText(texts.text);
  for (const key of there) {
    const { length } = question[key] ?? [];
    need(length > 0, `a translation has ${key} that its question does not have`);
    checkList(texts[key], length, length).forEach(checkText);
  }
}

/** @param {Fields} question @param {readonly Fields[]} earlier */
function examineWhen({ type, extras, when }, earlier) {
  const [id, list] = checkList(when, 2, 2);
  const answers = checkList(list, 1, 100);
  const parent = earlier.find((question) => question.id === id && PARENTS.includes(question.type));
  need(parent, "a question is shown after an earlier one of the types yes_no, single_choice, multi_choice or scale");
  const known = answersOf(parent);
  const isKnown = answers.every((answer) => known.includes(answer));
  need(isKnown, "a question is shown after an answer that the other one does not have");
  checkDistinct(answers, "an answer after which a question is shown stands there twice");
  const isInside = type !== "pair" && extras.includes("does_not_apply");
  need(isInside, "a question that is not always shown needs does_not_apply, and is no pair");
}

/** Give all answers as an app gives them. @param {Fields} question @returns {unknown[]} */
function answersOf({ type, options = [], min, max, extras }) {
  const points = type === "scale" ? Array.from({ length: max - min + 1 }, (_, i) => min + i) : [];
  const ids = options.map((/** @type {string | string[]} */ option) => [option].flat()[0]);
  return [...(type === "yes_no" ? [true, false] : []), ...ids, ...points, ...extras];
}

/** @param {unknown} value */
function isObject(value) {
  return Object(value) === value && !Array.isArray(value);
}
