/**
 * Reports: what a device sends. This is the only place where a raw answer exists.
 *
 * Answers are checked before anything is drawn. All reports to a manifest have the same length.
 */
import { AnswerRefused } from "./errors.js";
import { isObject } from "./json.js";
import { toHex } from "./manifest.js";
import { SecureBytes } from "./randomness.js";

/** @import * as T from "./types.js" */

/** One respondent's draws. `body` is what is sent, on the first try and on every retry. */
export class Report {
  /** @param {T.Manifest} manifest @param {string} id @param {[string, number][]} draws */
  constructor({ survey, id: manifest }, id, draws) {
    this.survey = survey;
    this.manifest = manifest;
    this.id = id;
    this.body = JSON.stringify({ v: 1, survey, manifest, id, answers: Object.fromEntries(draws) });
    Object.freeze(this);
  }
}

/**
 * Randomize one respondent's answers: 16 bytes for the id, then each question in the manifest's order.
 * @type {T.Randomize}
 */
export function randomize(manifest, answers, source = new SecureBytes()) {
  const codes = encode(manifest, answers);
  const id = toHex(source.take(16));
  const draws = manifest.questions.map(({ id, design }, i) => [id, design.draw(source, codes[i])]);
  return new Report(manifest, id, /** @type {[string, number][]} */ (draws));
}

/** @type {T.Encode} */
function encode({ questions }, answers) {
  if (!isObject(answers)) throw new AnswerRefused("answers must be an object: question id → answer");
  const codes = questions.map(({ id, design }) => {
    const code = Object.hasOwn(answers, id) ? design.encode(answers[id]) : undefined;
    if (code === undefined) throw new AnswerRefused(`the question ${id} must be answered with ${design.wants}`);
    return code;
  });
  if (Object.keys(answers).length === codes.length) return codes;
  // The extra name is not repeated: it may hold an answer.
  throw new AnswerRefused(`only these questions are asked: ${questions.map(({ id }) => id).join(", ")}`);
}
