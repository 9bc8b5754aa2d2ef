/** What an app must answer with, for error messages, by type of question. A page does not need it. */
import { need } from "../errors.js";

/** @import { AnyQuestion, Option } from "../types.js" */

// A codebook has too many for a message; `allowed` of the problem has them all.
const MOST_NAMED = 20;

/** By the names of the types; a pair is answered part by part. @type {[string, (question: AnyQuestion) => string][]} */
const WORDS_OF_TYPES = [
  ["yes_no", () => "true or false"],
  ["single_choice", ({ options }) => `the id of an option (${idsOf(options)})`],
  [
    "multi_choice",
    ({ most, options }) => `a list of ${most ? `at most ${most} ` : ""}ids of options, each once (${idsOf(options)})`,
  ],
  ["scale", ({ min, max }) => `a whole number from ${min} to ${max}`],
  ["number", ({ min, max }) => `a finite number (beyond ${min} and ${max} it counts as these)`],
];
const WANTS = new Map(WORDS_OF_TYPES);

/** @param {readonly Option[]} options */
function idsOf(options) {
  const named = options.slice(0, MOST_NAMED).map(({ id }) => id);
  const rest = options.length - named.length;
  return named.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** @param {AnyQuestion} question or a part of a pair */
export function wantsOf(question) {
  const own = WANTS.get(question.type);
  need(own, "the type of a question has no words for an error");
  const extras = question.extras.map((extra) => (extra === "decline" ? "null" : `"${extra}"`));
  return [own(question), ...extras].join(", or ");
}
