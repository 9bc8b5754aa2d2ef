/** The types of questions: the only list of them, and the one way to read a question. */
import { need } from "../errors.js";
import { readDesign } from "../mechanisms/index.js";
import { MultiChoice } from "./multi_choice.js";
import { NumberInRange } from "./number.js";
import { Pair } from "./pair.js";
import { readAs } from "./question.js";
import { Scale } from "./scale.js";
import { SingleChoice } from "./single_choice.js";
import { YesNo } from "./yes_no.js";

/** @import { AskedQuestion, Fields, QuestionType } from "../types.js" */

/** @type {readonly QuestionType[]} */
export const QUESTION_TYPES = [YesNo, SingleChoice, MultiChoice, Scale, NumberInRange, Pair];

/** Read a question with the design that randomizes it. @param {Fields} fields @returns {AskedQuestion} */
export function readQuestion({ when = null, mechanism, ...fields }) {
  const question = readAs(QUESTION_TYPES, fields);
  const design = readDesign(mechanism);
  const fits = design.domain.covers(question.domain);
  // Every answer is tried: one that could be given but not sent would be revealed by the missing report.
  const isWhole = question.answersToTry().every((answer) => design.domain.holds(question.code(answer)));
  need(fits && isWhole);
  return Object.assign(question, { when, design });
}
