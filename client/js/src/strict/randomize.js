/** Answers as apps must give them: none missing, none unknown, and a report that nobody can change. */
import { Epsilon } from "../epsilon.js";
import { need } from "../errors.js";
import { groupCode } from "../groups.js";
import { randomize } from "../report.js";
import { answersRefused } from "./refusals.js";
import { wantsOf } from "./wants.js";

/** @import { AnswerProblem, AnyQuestion, ByteSource, ChargeOf, Recall, ToldManifest } from "../types.js" */

/**
 * Draw the report to answers; refuse them if one is missing or unknown.
 *
 * Every call is a new draw: randomize the answers of a respondent once.
 * @param {ToldManifest} manifest @param {unknown} answers question id → answer
 * @param {ByteSource} [source] @param {Recall} [recall] for surveys with repeated questions
 * @param {readonly string[]} [groups] public labels, at most one of each dimension
 */
export function randomizeStrictly(manifest, answers, source, recall, groups = []) {
  const labels = [groups].flat();
  const isObject = Object(answers) === answers && !Array.isArray(answers);
  if (!isObject) throw answersRefused([problemWith(null, "answers must be an object: question id → answer")]);
  need(manifest.panel === null || recall, "a survey in waves needs the memory of a device: load it with client.survey");
  // Without the properties of every object: a question may be called "constructor".
  const own = Object.assign(Object.create(null), answers);
  checkAnswers(manifest, own);
  checkLabels(manifest, labels);
  return Object.freeze(randomize(manifest, own, labels, source, recall, chargeOf));
}

/** Refuse answers with all that is wrong. @param {ToldManifest} manifest @param {Record<string, unknown>} answers */
function checkAnswers({ questions }, answers) {
  const asked = questions.flatMap((question) => question.parts ?? [question]);
  const wrong = asked.filter((part) => part.code(answers[part.id] ?? "decline") === undefined);
  const problems = wrong.map((part) =>
    problemWith(part, `the question ${part.id} must be answered with ${wantsOf(part)}`),
  );
  const ids = asked.map(({ id }) => id);
  // The unknown name is not repeated: it may contain an answer.
  const isKnown = Object.keys(answers).every((id) => ids.includes(id));
  if (!isKnown) problems.push(problemWith(null, `only these questions are asked: ${ids.join(", ")}`));
  if (problems.length > 0) throw answersRefused(problems);
}

/** Refuse labels that the survey does not have. @param {ToldManifest} manifest @param {readonly string[]} labels */
function checkLabels({ groups }, labels) {
  if (groupCode(labels, groups) !== undefined) return;
  const dimensions = groups?.dimensions.map((dimension) => dimension.labels.map(([id]) => id).join(", ")) ?? [];
  const cure = dimensions.length ? `name at most one of ${dimensions.join(", and one of ")}` : "leave them out";
  // An unknown name is not repeated: an app may have passed an answer by mistake.
  throw answersRefused([problemWith(null, `the survey has no such group: ${cure}`)]);
}

/** @param {AnyQuestion | null} part null for the answers as a whole @param {string} message @returns {AnswerProblem} */
function problemWith(part, message) {
  return Object.freeze({ question: part?.id ?? null, message, allowed: Object.freeze([...(part?.answers ?? [])]) });
}

/** Return what a report costs: a remembered draw is paid for once. @type {ChargeOf} */
function chargeOf(costs, entries) {
  const paid = entries.flatMap(({ memos = [] }) => memos);
  const due = costs.filter(({ tag = "" }) => !paid.includes(tag));
  const total = due.reduce((sum, { epsilon }) => sum.plus(epsilon), new Epsilon(0n));
  const memos = due.flatMap(({ tag }) => tag ?? []);
  return { epsilon: `${total}`, ...(memos.length && { memos }) };
}
