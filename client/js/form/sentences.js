/**
 * What a device sends and how often it is true, in the mechanism's sentences. The label uses the same ones
 * (words/sentences.py of the server).
 */
import { count, fill, words } from "./language.js";

/** @import { AskedQuestion, Sentence } from "../src/types.js" */
/** @import { Odds } from "./types.js" */

/** Return the odds of a question in whole numbers out of 100. @param {AskedQuestion} question @returns {Odds} */
export function oddsOf(question) {
  const sentence = question.design.oddsSentence();
  // A sentence about a guess has its number in a phrase: "at most 100 times" is true as it is.
  const times = sentence.times?.kept ?? sentence.phrases?.kept.values?.n;
  return { times: Number(times), parts: fillSentence(sentence, question).split("|") };
}

/** Return the sentence on what the report contains. @param {AskedQuestion} question */
export function sentOf(question) {
  return fillSentence(question.design.sentSentence(question.type), question);
}

/** @param {Sentence} sentence @param {AskedQuestion} question @returns {string} */
function fillSentence({ key, values, times = {}, phrases = {} }, question) {
  const { mechanisms } = words;
  const text = mechanisms[question.design.name][key] ?? words[key];
  const { min, max, parts } = question;
  return fill(text, {
    yours: parts ? words.your_pair : words.your_answer,
    answers: parts ? words.pairs : words.answers,
    min: `${min}`,
    max: `${max}`,
    ...values,
    ...mapped(times, count),
    ...mapped(phrases, (phrase) => fillSentence(phrase, question)),
  });
}

/**
 * Return the same keys with other values.
 * @template V @param {Record<string, V>} values @param {(value: V) => string} change
 */
function mapped(values, change) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
