/** The signed manifest: one that exists is valid. */
import {
  check,
  checkKeys,
  checkList,
  checkName,
  checkText,
  Epsilon,
  InvalidValue,
  ManifestRefused,
  need,
  parse,
  Unsupported,
  Warner,
} from "./core.js";

export const LARGEST_ENVELOPE = 6e6;
const KEYS = "format,survey,title,consent,population,opens,closes,epsilon,questions";

export class Question {
  wants = "true or false";

  /** @param {unknown} fields */
  constructor(fields) {
    const { id, text, type, mechanism } = checkKeys(fields, "id,text,type,mechanism");
    need(type === "yes_no", "a question's type is unknown: update Hushpoll");
    this.id = checkName(id);
    this.text = checkText(text);
    this.type = String(type);
    this.design = Warner.read(mechanism);
    Object.freeze(this);
  }

  /** @param {unknown} answer */
  code(answer) {
    return typeof answer === "boolean" ? Number(answer) : undefined;
  }
}

export class Manifest {
  /** @param {any} fields @param {string} id @param {T.Content} content */
  constructor(fields, id, { questions, ids = questions.map(({ id }) => id), ask = null, panel = null, draw }) {
    const { survey, title, consent, population, opens, closes, epsilon } = fields;
    this.id = id;
    this.survey = checkName(survey);
    this.title = checkText(title);
    this.consent = checkText(consent);
    const isCount = Number.isInteger(population) && population > 0 && population <= 1e10;
    need(isCount || population === null, "a population is a whole number");
    this.population = /** @type {number | null} */ (population);
    this.opens = checkTime(opens);
    this.closes = checkTime(closes);
    need(!this.opens || !this.closes || this.opens < this.closes, "it closes before it opens");
    need(new Set(ids).size === ids.length, "two questions have the same id");
    this.questions = Object.freeze(questions);
    this.ask = ask;
    this.panel = panel;
    this.draw = draw;
    const epsilons = questions.map(({ design }) => design.epsilon).sort((a, b) => Number(b.units - a.units));
    this.epsilon = epsilons.slice(0, ask ?? 200).reduce((sum, epsilon) => sum.plus(epsilon));
    need(!this.epsilon.exceeds(Epsilon.parse(epsilon)), "its epsilon is too small");
    Object.freeze(this);
  }
}

/** @type {T.Verify} */
export async function verify(envelope, pinnedKey) {
  if (pinnedKey !== null) checkKey(pinnedKey);
  try {
    need(envelope.length <= LARGEST_ENVELOPE, "it is too large");
    const fields = Object(parse(envelope));
    need(Object.keys(fields).length === 3, "its envelope is not valid");
    const key = checkKey(fields.key);
    need(key === (pinnedKey ?? key), "another key than the pinned one signed it");
    const payload = fromBase64url(fields.payload);
    const isSigned = await isSignature(fromBase64url(fields.signature), payload, fromBase64url(key.slice(8)));
    need(isSigned, "it was changed after signing");
    return await read(payload);
  } catch (error) {
    throw error instanceof InvalidValue ? new ManifestRefused(`the manifest is refused: ${error.message}`) : error;
  }
}

/** @param {Uint8Array<ArrayBuffer>} payload */
async function read(payload) {
  const fields = Object(parse(payload, true));
  const isPlain = fields.format !== "hushpoll-manifest-2";
  need(payload.length <= (isPlain ? 1e6 : 4e6), "it is too large");
  const content = isPlain ? readPlain(fields) : await (await import("./format2.js")).read(fields);
  return new Manifest(fields, toHex(await crypto.subtle.digest("SHA-256", payload)), content);
}

/** @param {unknown} fields */
function readPlain(fields) {
  const { format, questions } = checkKeys(fields, KEYS);
  need(format === "hushpoll-manifest-1", "its format is unknown: update Hushpoll");
  return { questions: checkList(questions, 1, 200).map((question) => new Question(question)) };
}

/** @type {T.IsSignature} */
async function isSignature(signature, payload, key) {
  try {
    const signed = await new Blob(["hushpoll manifest 1\n", payload]).arrayBuffer();
    const publicKey = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", publicKey, signature, signed);
  } catch (error) {
    // Outside a secure context there is no `subtle`.
    const isMissing = !crypto.subtle || Object(error).name === "NotSupportedError";
    if (isMissing) throw new Unsupported("this browser cannot check signatures: use https, or update it");
    return false;
  }
}

/** @param {unknown} value */
export function checkKey(value) {
  return check(value, /^ed25519:[\w-]{43}$/, "a key must be written as ed25519: and 43 characters");
}

/** @param {unknown} value */
function checkTime(value) {
  if (value === null) return value;
  const message = "a time is written as 2026-11-16T09:00:00Z";
  const text = check(value, /^(?!0000)\d{4}-/, message);
  // JavaScript reads 30 February as 2 March.
  need(new Date(text).toJSON() === text.replace("Z", ".000Z"), message);
  return text;
}

/** @param {unknown} value */
function fromBase64url(value) {
  const message = "it is not base64url";
  const text = check(value, /^[\w-]*$/, message);
  need(text.length % 4 !== 1, message);
  const standard = text.replace(/-/g, "+").replace(/_/g, "/");
  const binary = atob(standard);
  need(btoa(binary).startsWith(standard), message);
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** @type {T.ToHex} */
export function toHex(bytes) {
  return Array.from(new Uint8Array(bytes), (byte) => (byte + 256).toString(16).slice(1)).join("");
}
