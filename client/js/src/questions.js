/**
 * @file The types of questions, and the reading of them: a question that exists has a mechanism for its answers.
 *
 * Those whose answers exclude each other are in choices.js.
 */
import { Choice, Question } from "./choices.js";
import { need } from "./errors.js";

class Ticks extends Question {
  /** @param {any} answer */
  code(answer) {
    /** @type {any[][]} */
    const [ids, others] = Array.isArray(answer) ? [answer, []] : [[], [answer]];
    const ticked = this.options.map(({ id }) => ids.includes(id));
    const ticks = [...ticked, ...this.extras.map((extra) => others.includes(extra))].map(Number);
    /** @remarks Each once, and none that is unknown. */
    const count = ticks.filter(Boolean).length;
    return count === ids.length + others.length && count <= (this.most ?? count) ? ticks : undefined;
  }

  /** @param {T.Design} design */
  fits(design) {
    const { answers, most } = this;
    const each = [[], ...answers.map((answer, i) => (this.options[i] ? [answer] : answer))];
    /** @remarks An answer that could be ticked but not sent would be told by a report that is missing. */
    const isTold = Number.isInteger(most ?? 0) && each.every((answer, i) => this.code(answer)?.indexOf(1) === i - 1);
    return isTold && design.options === answers.length && (design.most ?? most) === most;
  }
}

class Line extends Question {
  /** @param {any} answer */
  code(answer) {
    /** @type {T.Fields} */
    const { type, extras, min, max } = this;
    if (extras.includes(answer)) return extras.indexOf(answer);
    const isPoint = Number.isInteger(answer) && answer >= min && answer <= max;
    return isPoint || (type === "number" && Number.isFinite(answer)) ? placeOf(answer, min, max) : undefined;
  }

  /** @param {T.Design} design */
  fits(design) {
    /** @type {T.Fields} */
    const { type, min, max, answers } = this;
    const isLine = type === "scale" || (type === "number" && [min, max].every(isDecimal));
    const isRange = isLine && placeOf(0, min, max).bottom > 0n;
    const { inputs, steps, bins, extras = 0 } = design;
    const isHeld = answers.every((/** @type {unknown} */ answer) => design.holds(this.code(answer)));
    return isRange && isHeld && extras === this.extras.length && (this.report === "mean" ? steps || inputs : bins);
  }
}

class Pair extends Question {
  /** @param {T.Fields} fields */
  constructor(fields) {
    super(fields);
    this.parts = fields.parts.map(makeQuestion);
    this.size = this.parts[0].size * this.parts[1].size;
  }

  /** @param {T.Design} design */
  fits({ size }) {
    /** @remarks A part is itself the domain of its answers. */
    const isWhole =
      this.parts.length === 2 && this.parts.every((/** @type {any} */ part) => part.code && part.fits(part));
    return isWhole && this.answers.length === 0 && size === this.size;
  }

  /** @param {(part: any) => T.Code} codeOf @returns {T.Code} */
  encode(codeOf) {
    const [first, second] = this.parts.map(codeOf);
    return first * this.parts[1].size + second;
  }
}

/** @param {T.Fields} fields @returns {any} */
function makeQuestion(fields) {
  const { type, report } = fields;
  if (type === "number" || report === "mean") return new Line(fields);
  if (type === "multi_choice") return new Ticks(fields);
  return type === "pair" ? new Pair(fields) : new Choice(fields);
}

/** @param {T.Fields} fields @returns {T.Question} */
export function readQuestion(fields) {
  const question = makeQuestion(fields);
  need(question.fits(question.design));
  return question;
}

/** Give (answer − min)/(max − min), from 0 to 1. @param {number} answer @param {string | number} min @param {string | number} max */
export function placeOf(answer, min, max) {
  /** @remarks Exact, whatever the range: a boundary between two draws is 0 or further from it than 2^-900. */
  const exact = (BigInt(Math.trunc(answer)) << 1000n) + BigInt(Math.floor((answer % 1) * 2 ** 1000));
  const low = scaled(min);
  const bottom = scaled(max) - low;
  /** @remarks The middle one of three: what lies outside is moved to the end. */
  const [, top] = [0n, exact * 10n ** 15n - low, bottom].sort((a, b) => Number(a - b));
  return { top, bottom };
}

/** @param {unknown} value */
function isDecimal(value) {
  return typeof value === "string" && /^-?\d{1,15}(\.\d{1,15})?$/.test(value);
}

/** Give a number of at most 15 decimals times 10^15 · 2^1000. @param {string | number} number */
function scaled(number) {
  const [whole, decimals = ""] = `${number}`.split(".");
  return BigInt(whole + decimals.padEnd(15, "0")) << 1000n;
}
