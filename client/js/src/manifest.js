/**
 * The manifest: all that a client needs to randomize, fixed at publication.
 *
 * A `Manifest` that exists is valid. Every epsilon is recomputed from the integers. The bytes have one spelling only,
 * so that no two readers understand them differently.
 */
import { Epsilon } from "./epsilon.js";
import { InvalidValue, ManifestRefused, need } from "./errors.js";
import { isObject, parse } from "./strict-json.js";
import { Warner } from "./warner.js";

const KEYS = "format,survey,title,consent,population,opens,closes,epsilon,questions";
const TIME = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
// What Python's str.strip leaves over: the two languages differ on these characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are white space to Python
const VISIBLE = /[^\s\u001c-\u001f\u0085]|\ufeff/;

/** A private question with its design. */
export class Question {
  /** @param {unknown} fields */
  constructor(fields) {
    const { id, text, type, mechanism } = checkKeys(fields, "id,text,type,mechanism");
    need(type === "yes_no", "a question is of a type that this version does not know: update Hushpoll");
    this.id = checkName(id, "a question's id");
    this.text = checkText(text, "a question's text");
    this.type = type;
    this.design = Warner.read(mechanism);
    Object.freeze(this);
  }
}

/** A survey as it was published. */
export class Manifest {
  /** @param {Record<string, unknown>} fields @param {string} id */
  constructor(fields, id) {
    /** The SHA-256 of the payload, in hexadecimal. */
    this.id = id;
    this.survey = checkName(fields.survey, "a survey's name");
    this.title = checkText(fields.title, "the title");
    this.consent = checkText(fields.consent, "the consent text");
    this.population = checkPopulation(fields.population);
    this.opens = checkTime(fields.opens, "the opening time");
    this.closes = checkTime(fields.closes, "the closing time");
    // Times in this notation have the order of their letters.
    need(!this.opens || !this.closes || this.opens < this.closes, "the survey closes before it opens");
    this.questions = readQuestions(fields.questions);
    /** What one respondent spends on the whole survey. */
    this.epsilon = this.questions.reduce((sum, { design }) => sum.plus(design.epsilon), new Epsilon(0n));
    const isHonest = !this.epsilon.exceeds(Epsilon.parse(fields.epsilon));
    need(isHonest, "it claims a smaller total epsilon than its questions give");
    Object.freeze(this);
  }

  /** Read a payload; refuse whatever is not exactly one valid manifest. @param {Uint8Array<ArrayBuffer>} payload */
  static async read(payload) {
    const id = toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", payload)));
    try {
      need(payload.length <= 1_000_000, "it is too large");
      const fields = parse(payload);
      const isKnown = isObject(fields) && fields.format === "hushpoll-manifest-1";
      need(isKnown, "it has a format that this version does not know: update Hushpoll");
      const manifest = new Manifest(checkKeys(fields, KEYS), id);
      need(isSpelledAs(payload, fields), "it is not written in the one compact spelling");
      return manifest;
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      throw new ManifestRefused(`the manifest is not valid: ${error.message}`);
    }
  }
}

/** @param {unknown} value @param {string} what */
export function checkName(value, what) {
  const fits = typeof value === "string" && /^[a-z][a-z0-9_-]{0,63}$/.test(value);
  need(fits, `${what} must be 1 to 64 of a–z, 0–9, _ and -, starting with a letter`);
  return value;
}

/** @param {Uint8Array} bytes */
export function toHex(bytes) {
  let text = "";
  for (const byte of bytes) text += (byte + 256).toString(16).slice(1);
  return text;
}

/** @param {Uint8Array} payload @param {unknown} fields */
function isSpelledAs(payload, fields) {
  const spelling = new TextEncoder().encode(JSON.stringify(fields));
  return spelling.length === payload.length && spelling.every((byte, i) => byte === payload[i]);
}

/** @param {unknown} fields @param {string} keys in their order */
function checkKeys(fields, keys) {
  need(isObject(fields) && String(Object.keys(fields)) === keys, `it must have exactly ${keys}, in this order`);
  return fields;
}

/** @param {unknown} list */
function readQuestions(list) {
  need(Array.isArray(list) && list.length > 0 && list.length <= 200, "a survey needs a list of 1 to 200 questions");
  const questions = list.map((fields) => new Question(fields));
  need(new Set(questions.map(({ id }) => id)).size === list.length, "two questions have the same id");
  return Object.freeze(questions);
}

/** @param {unknown} value @param {string} what */
function checkText(value, what) {
  const fits = typeof value === "string" && VISIBLE.test(value) && [...value].length <= 10_000;
  need(fits, `${what} must be a text of 1 to 10000 characters`);
  need(!/\p{Surrogate}/u.test(value), `${what} holds half a character (a lone surrogate)`);
  return value;
}

/** @param {unknown} value */
function checkPopulation(value) {
  const fits = value === null || (typeof value === "number" && value % 1 === 0 && value > 0 && value <= 1e10);
  need(fits, "population must be null or a whole number from 1 to 10^10");
  return value;
}

/** @param {unknown} value @param {string} what */
function checkTime(value, what) {
  if (value === null) return value;
  need(typeof value === "string" && TIME.test(value), `${what} must be written in UTC as 2026-11-16T09:00:00Z`);
  // JavaScript reads 30 February as 2 March: what was read must write back to the same text.
  const time = Date.parse(value) || 0;
  need(new Date(time).toISOString() === value.replace("Z", ".000Z"), `${what} is not a day and time that exists`);
  return value;
}
