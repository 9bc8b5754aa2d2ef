/** What an app must answer with, for error messages, by type of question. A page does not need it. */
import { need } from "../errors.js";

/** @import { AnyQuestion } from "../types.js" */

/** By the names of the types; a pair is answered part by part. @type {[string, (question: AnyQuestion) => string][]} */
const WORDS_OF_TYPES = [
  ["yes_no", () => "true or false"],
  ["single_choice", () => "the id of an option"],
  ["multi_choice", ({ most }) => `a list of ${most ? `at most ${most} ` : ""}ids of options, each once`],
  ["scale", ({ min, max }) => `a whole number from ${min} to ${max}`],
  ["number", () => "a number"],
];
const WANTS = new Map(WORDS_OF_TYPES);

/** @param {AnyQuestion} question or a part of a pair */
export function wantsOf(question) {
  const own = WANTS.get(question.type);
  need(own, "the type of a question has no words for an error");
  const extras = question.extras.map((extra) => (extra === "decline" ? "null" : `"${extra}"`));
  return [own(question), ...extras].join(", or ");
}
