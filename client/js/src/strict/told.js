/**
 * What people are told about a question, for apps: to the letter what the form shows.
 *
 * The rule here: nothing but the words of one mechanism and of one language is loaded, and only when it is needed. The
 * page carries the words of its survey instead, so that nothing it loads depends on the language.
 */
import { say } from "../sentences.js";
import { LANGUAGES, MECHANISM_WORDS } from "./words.js";

/** @import { Manifest } from "../manifest.js" */
/** @import { AskedQuestion, Told, ToldManifest, Words } from "../types.js" */

/** Let every question of a manifest say what people are told about it. @param {Manifest} manifest */
export function withWords(manifest) {
  for (const question of manifest.questions) {
    // Not enumerable: a question can still be posted to a worker, or copied.
    Object.defineProperty(question, "told", { value: (/** @type {string} */ language) => tell(question, language) });
  }
  return /** @type {ToldManifest} */ (manifest);
}

/** @param {AskedQuestion} question @param {string} language @returns {Promise<Told>} */
async function tell(question, language) {
  const { design, type } = question;
  const words = await load(design.name, language);
  const [odds, sent] = [design.oddsSentence(), design.sentSentence(type)].map((sentence) =>
    // The bars are for the form, which colours the parts.
    say(sentence, question, words).replaceAll("|", ""),
  );
  const { about: short, how, tag, direction } = words;
  return Object.freeze({ short, how, odds, sent, language: tag, direction });
}

/**
 * Load the words for a mechanism: in this language, in its primary one, or in English.
 * @param {string} name @param {string} language @returns {Promise<Words>}
 */
async function load(name, language) {
  const tag = [language, language.split("-")[0]].find((close) => Object.hasOwn(LANGUAGES, close)) ?? "en";
  const [texts, own] = await Promise.all([LANGUAGES[tag](), MECHANISM_WORDS[name]()]);
  return { ...texts.default, tag, mechanisms: { [name]: own.default[tag] } };
}
