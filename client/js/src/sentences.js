/**
 * Sentences with their gaps filled: by the form, with the words that its page carries, and for apps.
 *
 * The rule here: every sentence is from the words of a language, and every figure from the integers of a design. Python
 * fills the same ones (hushpoll_shared/words); the vectors hold both to the letter.
 */

/** @import { AskedQuestion, Sentence, Words } from "./types.js" */

/** How often in 100, where a number would say always or never. @type {Record<number, string>} */
const COUNTS = { 0: "count_less", 1: "count_once", 100: "count_more" };

/**
 * Fill the gaps of a text; whole numbers are written as the language does.
 * @param {string} text @param {Record<string, unknown>} values @param {Words} words
 */
export function fill(text, values, { thousands }) {
  return text.replace(/{(\w+)}/g, (_, name) => {
    const value = values[name];
    return typeof value === "number" ? `${value}`.replace(/\B(?=(\d{3})+$)/g, thousands) : `${value}`;
  });
}

/**
 * Return a sentence about a question; bars divide it into parts.
 * @param {Sentence} sentence @param {AskedQuestion} question @param {Words} words @returns {string}
 */
export function say({ key, values, times = {}, phrases = {} }, question, words) {
  const { design, min, max, parts } = question;
  /** @type {Record<string, unknown>} */
  const filling = {
    yours: parts ? words.your_pair : words.your_answer,
    answers: parts ? words.pairs : words.answers,
    min: `${min}`,
    max: `${max}`,
    ...values,
  };
  for (const [name, n] of Object.entries(times)) filling[name] = fill(words[COUNTS[n] ?? "count"], { n }, words);
  for (const [name, phrase] of Object.entries(phrases)) filling[name] = say(phrase, question, words);
  return fill(words.mechanisms[design.name][key] ?? words[key], filling, words);
}
