/**
 * How a survey is shown: its language, complete translations, who may embed it, and when a question is asked at all.
 */
import { need } from "../errors.js";
import { withParts } from "../presentation.js";
import { checkAccent, checkLogo } from "./appearance.js";
import { examineGroups, examineTranslatedGroups } from "./groups.js";
import { check, checkDistinct, checkKeys, checkList, checkText } from "./values.js";

/** @import { Manifest } from "../manifest.js" */
/** @import { AnyQuestion, When } from "../types.js" */

const TAG = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;
const HOST_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const HOST = new RegExp(
  `^(?:https://${HOST_LABEL}(?:\\.${HOST_LABEL}){0,9}|http://(?:localhost|127\\.0\\.0\\.1))(?::([1-9]\\d{0,4}))?$`,
);
const LARGEST_PORT = 65_535;
const ABOUT = ["organisation", "contact", "privacy", "thanks", "link", "logo", "accent"];
const DOMAIN = `${HOST_LABEL}(?:\\.${HOST_LABEL}){1,9}`;
const ADDRESS = `https://${DOMAIN}(?:/[A-Za-z0-9._~!$&'()*+,;=:@%/?#-]{0,400})?`;
const PAGE = new RegExp(`^${ADDRESS}$`);
const CONTACT = new RegExp(`^(?:${ADDRESS}|mailto:[A-Za-z0-9._+-]{1,64}@${DOMAIN})$`);
const MOST_HOSTS = 20;
const MOST_TRANSLATIONS = 50;
const MOST_ANSWERS = 100;

/** Check what only the page uses. @param {Manifest} manifest */
export function examinePresentation({ language, translations, hosts, about, groups, questions }) {
  if (language !== null) checkTag(language);
  if (about !== undefined) examineAbout(about);
  examineHosts(hosts);
  const asked = withParts(questions);
  const labels = groups === undefined ? [] : examineGroups(groups, asked);
  examineTranslations(translations, language, asked, labels);
  for (const { when } of questions) if (when !== null) examineWhen(when);
}

/** @param {unknown} value */
function examineAbout(value) {
  const keys = ABOUT.filter((key) => Object.hasOwn(Object(value), key));
  need(keys.length > 0, "about says nothing");
  const about = checkKeys(value, keys);
  for (const key of keys) {
    if (key === "organisation" || key === "thanks") checkText(about[key]);
    else if (key === "logo") checkLogo(about[key]);
    else if (key === "accent") checkAccent(about[key]);
    else check(about[key], key === "contact" ? CONTACT : PAGE, `${key} is not the address of a page`);
  }
}

/** @param {unknown} value */
function checkTag(value) {
  return check(value, TAG, 'a language is a tag such as "en", "fr-CA" or "zh-Hant"');
}

/** @param {unknown} value */
function examineHosts(value) {
  const hosts = checkList(value, 0, MOST_HOSTS);
  checkDistinct(hosts, "a host is listed twice");
  for (const host of hosts) {
    const message = "a host is written as https://example.org, in lower case and without a path";
    const [, port = "0"] = HOST.exec(check(host, HOST, message)) ?? [];
    need(Number(port) <= LARGEST_PORT, message);
  }
}

/**
 * @param {unknown} value @param {string | null} language @param {readonly AnyQuestion[]} asked
 * @param {readonly string[][]} labels the ids of each dimension
 */
function examineTranslations(value, language, asked, labels) {
  need(isObject(value), "translations are an object");
  const tags = Object.keys(Object(value)).map(checkTag);
  checkList(tags, 0, MOST_TRANSLATIONS);
  need(tags.length === 0 || language !== null, "a survey with translations needs a language");
  need(String(tags) === String([...tags].sort()), "translations stand in the order of their tags");
  need(!tags.includes(String(language)), "a translation is in the survey's own language");
  for (const translation of Object.values(Object(value))) examineTranslation(translation, asked, labels);
}

/** @param {unknown} value @param {readonly AnyQuestion[]} asked @param {readonly string[][]} labels */
function examineTranslation(value, asked, labels) {
  const sometimes = ["thanks", "groups"].filter((key) => Object.hasOwn(Object(value), key));
  const { questions, groups, ...texts } = checkKeys(value, ["title", "consent", ...sometimes, "questions"]);
  Object.values(texts).forEach(checkText);
  if (sometimes.includes("groups")) examineTranslatedGroups(groups, labels);
  need(isObject(questions), "the questions of a translation are an object");
  const ids = asked.map(({ id }) => id);
  checkKeys(questions, ids);
  for (const question of asked) examineTexts(questions[question.id], question);
}

/** @param {unknown} value @param {AnyQuestion} question */
function examineTexts(value, question) {
  const lists = /** @type {const} */ (["options", "labels"]).filter((key) => Object.hasOwn(Object(value), key));
  const texts = checkKeys(value, ["text", ...lists]);
  checkText(texts.text);
  for (const key of lists) {
    const { length } = question[key];
    need(length > 0, `a translation has ${key} that its question does not have`);
    checkList(texts[key], length, length).forEach(checkText);
  }
}

/** @param {When} when */
function examineWhen(when) {
  const [, answers] = checkList(when, 2, 2);
  checkDistinct(checkList(answers, 1, MOST_ANSWERS), "an answer after which a question is shown is listed twice");
}

/** @param {unknown} value */
function isObject(value) {
  return Object(value) === value && !Array.isArray(value);
}
