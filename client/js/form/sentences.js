/**
 * What a device sends and how often it is true, in the mechanism's sentences. The label and apps have the same ones.
 */
import { say } from "../src/sentences.js";
import { words } from "./language.js";

/** @import { AskedQuestion } from "../src/types.js" */
/** @import { Odds } from "./types.js" */

/** Return the odds of a question in whole numbers out of 100. @param {AskedQuestion} question @returns {Odds} */
export function oddsOf(question) {
  const sentence = question.design.oddsSentence();
  // A sentence about a guess has its number in a phrase: "at most 100 times" is true as it is.
  const times = sentence.times?.kept ?? sentence.phrases?.kept.values?.n;
  return { times: Number(times), parts: say(sentence, question, words).split("|") };
}

/** Return the sentence on what the report contains. @param {AskedQuestion} question */
export function sentOf(question) {
  return say(question.design.sentSentence(question.type), question, words);
}
