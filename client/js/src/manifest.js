/**
 * The manifest: all that a client needs to randomize, fixed at publication.
 *
 * The law here: a `Manifest` that exists is valid. Every epsilon is recomputed from the integers and no claim is
 * believed. The bytes have one spelling only, so that two readers cannot understand the same bytes differently.
 */
import { Epsilon } from "./epsilon.js";
import { HushpollError, InvalidValue, ManifestRefused } from "./errors.js";
import { decode, isObject, parse } from "./strict-json.js";
import { Warner } from "./warner.js";

const FORMAT = "hushpoll-manifest-1";
export const LARGEST_PAYLOAD = 1_000_000;
const MOST_QUESTIONS = 200;
const LONGEST_TEXT = 10_000;
const LARGEST_POPULATION = 10 ** 10;

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;
const TIME = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
// The complement of what Python's str.strip removes: JavaScript's white space differs in these characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are white space to Python
const VISIBLE = /[^\s\u001c-\u001f\u0085]|\ufeff/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const KEYS = ["format", "survey", "title", "consent", "population", "opens", "closes", "epsilon", "questions"];
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const QUESTION_KEYS = ["id", "text", "type", "mechanism"];

/** A private question with its design. */
export class Question {
  /** @param {unknown} fields as the manifest gives them */
  constructor(fields) {
    const { id, text, type, mechanism } = checkKeys(fields, QUESTION_KEYS, "a question");
    if (type !== "yes_no") {
      throw new InvalidValue("a question is of a type that this version does not know: update Hushpoll");
    }
    this.id = checkName(id, "a question's id");
    this.text = checkText(text, "a question's text");
    this.type = type;
    this.design = Warner.read(mechanism);
    Object.freeze(this);
  }
}

/** A survey as it was published. */
export class Manifest {
  /** @param {Record<string, unknown>} fields @param {string} id the SHA-256 of the payload, in hexadecimal */
  constructor(fields, id) {
    this.id = id;
    this.survey = checkName(fields.survey, "a survey's name");
    this.title = checkText(fields.title, "the title");
    this.consent = checkText(fields.consent, "the consent text");
    this.population = checkPopulation(fields.population);
    this.opens = checkTime(fields.opens, "the opening time");
    this.closes = checkTime(fields.closes, "the closing time");
    this.questions = readQuestions(fields.questions);
    /** What one respondent spends on the whole survey: the sum over its questions. */
    this.epsilon = this.questions.reduce((sum, question) => sum.plus(question.design.epsilon), new Epsilon(0n));
    // Times in this notation have the order of their letters.
    if (this.opens !== null && this.closes !== null && this.closes <= this.opens) {
      throw new InvalidValue("the survey closes before it opens: exchange the two times");
    }
    if (this.epsilon.exceeds(Epsilon.parse(fields.epsilon))) {
      throw new InvalidValue("it claims a smaller total epsilon than its questions give");
    }
    Object.freeze(this);
  }

  /**
   * Read a payload; refuse whatever is not exactly one valid manifest.
   * @param {Uint8Array<ArrayBuffer>} payload
   */
  static async read(payload) {
    const id = toHex(new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", payload)));
    try {
      return new Manifest(load(payload), id);
    } catch (error) {
      if (!(error instanceof HushpollError)) throw error;
      throw new ManifestRefused(`the manifest is not valid: ${error.message}`);
    }
  }
}

/**
 * Refuse what is not a short lower-case name.
 * @param {unknown} value @param {string} what
 */
export function checkName(value, what) {
  if (typeof value !== "string" || !NAME.test(value)) {
    throw new InvalidValue(`${what} must be 1 to 64 of a–z, 0–9, _ and -, starting with a letter`);
  }
  return value;
}

/**
 * Write bytes in lower-case hexadecimal.
 * @param {Uint8Array} bytes
 */
export function toHex(bytes) {
  let text = "";
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** @param {Uint8Array} payload */
function load(payload) {
  if (payload.length > LARGEST_PAYLOAD) throw new InvalidValue("it is too large");
  const text = decode(payload);
  const fields = parse(text);
  if (!isObject(fields) || fields.format !== FORMAT) {
    throw new InvalidValue("it has a format that this version does not know: update Hushpoll");
  }
  checkKeys(fields, KEYS, "the manifest");
  if (spell(fields) !== text) throw new InvalidValue("it is not written in the one compact spelling");
  return fields;
}

/** @param {unknown} fields */
function spell(fields) {
  try {
    return JSON.stringify(fields);
  } catch {
    throw new InvalidValue("it is nested too deeply");
  }
}

/** @param {unknown} list @returns {readonly Question[]} */
function readQuestions(list) {
  if (!Array.isArray(list)) throw new InvalidValue("its questions are not a list");
  if (list.length < 1 || list.length > MOST_QUESTIONS) {
    throw new InvalidValue(`a survey needs between 1 and ${MOST_QUESTIONS} questions`);
  }
  const questions = list.map((fields) => new Question(fields));
  if (new Set(questions.map(({ id }) => id)).size !== questions.length) {
    throw new InvalidValue("two questions have the same id: give each its own");
  }
  return Object.freeze(questions);
}

/** @param {unknown} fields @param {string[]} keys @param {string} what */
function checkKeys(fields, keys, what) {
  if (!isObject(fields) || JSON.stringify(Object.keys(fields)) !== JSON.stringify(keys)) {
    throw new InvalidValue(`${what} must have exactly the fields ${keys.join(", ")}, in this order`);
  }
  return fields;
}

/** @param {unknown} value @param {string} what */
function checkText(value, what) {
  if (typeof value !== "string" || !VISIBLE.test(value) || [...value].length > LONGEST_TEXT) {
    throw new InvalidValue(`${what} must be a text of 1 to ${LONGEST_TEXT} characters`);
  }
  if (LONE_SURROGATE.test(value)) {
    throw new InvalidValue(`${what} holds half a character (a lone surrogate): write it anew`);
  }
  return value;
}

/** @param {unknown} value */
function checkPopulation(value) {
  if (value === null) return value;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > LARGEST_POPULATION) {
    throw new InvalidValue(`population must be a whole number from 1 to ${LARGEST_POPULATION}, or be left out`);
  }
  return value;
}

/** @param {unknown} value @param {string} what */
function checkTime(value, what) {
  if (value === null) return value;
  if (typeof value !== "string" || !TIME.test(value)) {
    throw new InvalidValue(`${what} must be written in UTC as 2026-11-16T09:00:00Z`);
  }
  // JavaScript would read 30 February as 2 March: what was read must write back to the same text.
  const time = new Date(value);
  if (Number.isNaN(time.getTime()) || time.toISOString() !== value.replace("Z", ".000Z")) {
    throw new InvalidValue(`${what} is not a day and time that exists`);
  }
  return value;
}
