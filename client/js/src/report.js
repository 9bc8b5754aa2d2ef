/**
 * Reports: what a device sends. This is the only place where a raw answer exists.
 *
 * Answers are checked before anything is drawn. All reports to a manifest have the same length.
 */
import { AnswerRefused } from "./errors.js";
import { toHex } from "./manifest.js";
import { SecureBytes } from "./randomness.js";
import { isObject } from "./strict-json.js";

/** @import { Manifest, Question } from "./manifest.js" */

/** One respondent's draws. `body` is what is sent, on the first try and on every retry. */
export class Report {
  /** @param {Manifest} manifest @param {string} id @param {[string, number][]} draws */
  constructor({ survey, id: manifest }, id, draws) {
    this.survey = survey;
    /** The manifest's id. */
    this.manifest = manifest;
    this.id = id;
    this.body = JSON.stringify({ v: 1, survey, manifest, id, answers: Object.fromEntries(draws) });
    Object.freeze(this);
  }
}

/**
 * Randomize one respondent's answers: 16 bytes for the id, then each question in the manifest's order.
 * @param {Manifest} manifest @param {unknown} answers question id → answer
 * @param {import("./types.js").ByteSource} source
 */
export function randomize(manifest, answers, source = new SecureBytes()) {
  const codes = encode(manifest, answers);
  const id = toHex(source.take(16));
  return new Report(
    manifest,
    id,
    manifest.questions.map((question, i) => [question.id, question.design.draw(source, codes[i])]),
  );
}

/** @param {Manifest} manifest @param {unknown} answers */
function encode({ questions }, answers) {
  if (!isObject(answers)) throw new AnswerRefused("answers must be an object: question id → answer");
  const codes = questions.map((question) => encodeAnswer(question, answers));
  if (Object.keys(answers).length === codes.length) return codes;
  // The extra name is not repeated: it may hold an answer.
  throw new AnswerRefused(`only these questions are asked: ${questions.map(({ id }) => id).join(", ")}`);
}

/** @param {Question} question @param {Record<string, unknown>} answers */
function encodeAnswer({ id, design }, answers) {
  const code = Object.hasOwn(answers, id) ? design.encode(answers[id]) : undefined;
  if (code === undefined) throw new AnswerRefused(`the question ${id} must be answered with ${design.wants}`);
  return code;
}
