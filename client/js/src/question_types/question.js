/**
 * What all types of questions have in common: what can be answered, and the place of each answer in the domain.
 *
 * The rule here: everything that somebody could answer, "prefer not to say" and "does not apply" included, is inside
 * the domain that the mechanism randomizes.
 */
import { isText } from "../checks.js";
import { need } from "../errors.js";

/** @import { AnyQuestion, Code, Fields, QuestionType } from "../types.js" */

// In this order.
const EXTRAS = ["decline", "does_not_apply"];

/** A question, or a part of a pair. Its other fields are in types.d.ts. */
export class Question {
  /** @param {Fields} fields of the manifest, exactly those of its type */
  constructor(fields) {
    const { id, extras = [] } = fields;
    const known = EXTRAS.filter((extra) => [extras].flat().includes(extra));
    need(isText(id) && JSON.stringify(extras) === JSON.stringify(known));
    Object.assign(this, { options: [], labels: [], answers: [], ...fields, extras });
    /** The question as the manifest writes it, without the fields for the page and the mechanism. */
    this.spelling = JSON.stringify(fields);
  }

  /**
   * Return the code of what was answered; a missing answer means "prefer not to say".
   * @this {AnyQuestion}
   * @param {Fields} answers question id → answer @returns {Code}
   */
  codeIn(answers) {
    const code = this.code(answers[this.id] ?? "decline");
    need(code !== undefined, "an answer is unknown");
    return code;
  }

  /** Return the answers to try: each must have a code in the domain. @returns {readonly unknown[]} */
  answersToTry() {
    return this.answers;
  }
}

/**
 * Read a question of one of these types. It has exactly the fields of its type, so that no field replaces a method
 * and none goes unread.
 * @param {readonly QuestionType[]} types @param {Fields} fields @returns {AnyQuestion}
 */
export function readAs(types, fields) {
  const questionType = types.find(({ NAME }) => NAME === fields.type);
  need(questionType, "the type of a question is unknown: update Hushpoll");
  const keys = ["id", "text", "type", ...questionType.fields];
  need(`${Object.keys(fields)}` === `${keys}`);
  return new questionType(fields);
}
