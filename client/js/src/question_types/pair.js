/** Two questions that are asked one after the other and reported as one, for their cross table. */
import { need } from "../errors.js";
import { Categories } from "../mechanisms/domains.js";
import { Question, readAs } from "./question.js";
import { Scale } from "./scale.js";
import { SingleChoice } from "./single_choice.js";
import { YesNo } from "./yes_no.js";

/** @import { AnyQuestion, Code, Domain, Fields, QuestionType } from "../types.js" */

/** The types that can be joined. @type {readonly QuestionType[]} */
const PART_TYPES = [YesNo, SingleChoice, Scale];

export class Pair extends Question {
  static NAME = "pair";
  static fields = ["parts"];

  /** @param {Fields} fields */
  constructor(fields) {
    super(fields);
    /** @type {AnyQuestion[]} */
    this.parts = fields.parts.map((/** @type {Fields} */ part) => readAs(PART_TYPES, part));
    // A scale that is reported as a mean has no categories.
    const areChoices = this.parts.every(({ domain }) => domain instanceof Categories);
    need(areChoices && this.parts.length === 2);
    const [first, second] = this.parts.map(({ answers }) => answers.length);
    /** @type {Domain} */
    this.domain = new Categories(first * second);
  }

  /** A pair has no answer of its own. */
  code() {
    return undefined;
  }

  /** @param {Fields} answers @returns {Code} */
  codeIn(answers) {
    const [first, second] = this.parts.map((part) => part.codeIn(answers));
    return first * this.parts[1].answers.length + second;
  }
}
