/**
 * Reports: what a device sends. This module is the only place where a raw answer exists.
 *
 * The laws here: answers are checked before anything is drawn; the bytes are drawn in a fixed order (16 for the id,
 * then each question in the manifest's order); all reports to a manifest have the same length.
 */
import { AnswerRefused } from "./errors.js";
import { toHex } from "./manifest.js";
import { SecureBytes } from "./randomness.js";
import { isObject } from "./strict-json.js";

const VERSION = 1;
const ID_BYTES = 16;

/** One respondent's draws. `body` is what is sent, on the first try and on every retry. */
export class Report {
  /**
   * @param {import("./manifest.js").Manifest} manifest
   * @param {string} id 128 random bits, in hexadecimal
   * @param {[string, number][]} draws in the order of the manifest's questions
   */
  constructor(manifest, id, draws) {
    this.survey = manifest.survey;
    this.manifest = manifest.id;
    this.id = id;
    this.epsilon = manifest.epsilon;
    this.body = JSON.stringify({
      v: VERSION,
      survey: this.survey,
      manifest: this.manifest,
      id,
      answers: Object.fromEntries(draws),
    });
    Object.freeze(this);
  }
}

/**
 * Randomize one respondent's answers: a pure function of the manifest, the answers and the random bytes.
 * @param {import("./manifest.js").Manifest} manifest
 * @param {unknown} answers question id → answer, for every question
 * @param {import("./randomness.js").ByteSource} source
 */
export function randomize(manifest, answers, source = new SecureBytes()) {
  const codes = encodeAnswers(manifest, answers);
  const id = toHex(source.take(ID_BYTES));
  return new Report(
    manifest,
    id,
    manifest.questions.map((question, i) => [question.id, question.design.draw(source, codes[i])]),
  );
}

/** @param {import("./manifest.js").Manifest} manifest @param {unknown} answers */
function encodeAnswers(manifest, answers) {
  if (!isObject(answers)) throw new AnswerRefused("answers must be an object: question id → answer");
  const codes = manifest.questions.map((question) => encodeAnswer(question, answers));
  // The extra name is not repeated: it may hold an answer.
  if (Object.keys(answers).length !== codes.length) {
    const ids = manifest.questions.map(({ id }) => id).join(", ");
    throw new AnswerRefused(`there is an answer to something that is not asked: answer only ${ids}`);
  }
  return codes;
}

/** @param {import("./manifest.js").Question} question @param {Record<string, unknown>} answers */
function encodeAnswer({ id, design }, answers) {
  const answer = Object.hasOwn(answers, id) ? answers[id] : null;
  if (answer === null || answer === undefined) {
    throw new AnswerRefused(`the question ${id} has no answer: every question must be answered`);
  }
  const code = design.encode(answer);
  if (code === undefined) throw new AnswerRefused(`the answer to ${id} must be ${design.wants}`);
  return code;
}
