/** Answers as apps must give them: none missing, none unknown, and a report that nobody can change. */
import { Epsilon } from "../epsilon.js";
import { AnswerRefused, need } from "../errors.js";
import { randomize } from "../report.js";
import { wantsOf } from "./wants.js";

/** @import { Manifest } from "../manifest.js" */
/** @import { ByteSource, ChargeOf, Recall } from "../types.js" */

/**
 * Draw the report to answers; refuse them if one is missing or unknown.
 *
 * Every call is a new draw: randomize the answers of a respondent once.
 * @param {Manifest} manifest @param {unknown} answers question id → answer
 * @param {ByteSource} [source] @param {Recall} [recall] for surveys with repeated questions
 */
export function randomizeStrictly(manifest, answers, source, recall) {
  const isObject = Object(answers) === answers && !Array.isArray(answers);
  if (!isObject) throw new AnswerRefused("answers must be an object");
  need(manifest.panel === null || recall, "a survey in waves needs the memory of a device: load it with client.survey");
  // Without the properties of every object: a question may be called "constructor".
  const own = Object.assign(Object.create(null), answers);
  checkAnswers(manifest, own);
  return Object.freeze(randomize(manifest, own, source, recall, chargeOf));
}

/** @param {Manifest} manifest @param {Record<string, unknown>} answers */
function checkAnswers({ questions }, answers) {
  const asked = questions.flatMap((question) => question.parts ?? [question]);
  for (const part of asked) {
    const isAnswer = part.code(answers[part.id] ?? "decline") !== undefined;
    if (!isAnswer) throw new AnswerRefused(`the question ${part.id} must be answered with ${wantsOf(part)}`);
  }
  const ids = asked.map(({ id }) => id);
  // The unknown name is not repeated: it may contain an answer.
  const isKnown = Object.keys(answers).every((id) => ids.includes(id));
  if (!isKnown) throw new AnswerRefused(`only these questions are asked: ${ids.join(", ")}`);
}

/** Return what a report costs: a remembered draw is paid for once. @type {ChargeOf} */
function chargeOf(costs, entries) {
  const paid = entries.flatMap(({ memos = [] }) => memos);
  const due = costs.filter(({ tag = "" }) => !paid.includes(tag));
  const total = due.reduce((sum, { epsilon }) => sum.plus(epsilon), new Epsilon(0n));
  const memos = due.flatMap(({ tag }) => tag ?? []);
  return { epsilon: `${total}`, ...(memos.length && { memos }) };
}
