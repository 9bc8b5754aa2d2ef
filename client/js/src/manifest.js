/**
 * The signed manifest: what a survey asks and how each answer is randomized, fixed at publication.
 *
 * The rule here: everything that privacy rests on is checked, whoever signed it. The folder strict/ also checks the
 * spelling.
 */
import { isText, isWhole } from "./checks.js";
import { fromBase64url, toHex } from "./encoding.js";
import { Epsilon } from "./epsilon.js";
import { ManifestRefused, need, Unsupported } from "./errors.js";
import { checkPresentation } from "./presentation.js";
import { readQuestion } from "./question_types/index.js";

/** @import { AskedQuestion, Fields } from "./types.js" */

const FORMAT = "hushpoll-manifest-1";
// Characters that change the direction of reading can make one text look like another.
const TURNING = /[\u202a-\u202e\u2066-\u2069]/;

/** A survey as it was signed. Its other fields are in types.d.ts. */
export class Manifest {
  /** @param {Fields} fields @param {string} id the SHA-256 of its payload */
  constructor(fields, id) {
    const { format, ask, panel } = fields;
    need(format === FORMAT, "its format is unknown: update Hushpoll");
    need(!TURNING.test(JSON.stringify(fields)), "a text turns the direction of reading");
    // It has no methods, so no field can replace one.
    Object.assign(this, fields);
    this.id = id;
    /** @type {readonly AskedQuestion[]} */
    this.questions = fields.questions.map(readQuestion);
    const isRepeated = this.questions.some(({ design }) => design.remembered);
    need(this.questions.length > 0 && (ask === null || isWhole(ask, 1, this.questions.length - 1)));
    need(isRepeated ? isText(panel) : panel === null);
    checkPresentation(this);
    /** The most that one respondent spends. */
    this.epsilon = totalOf(this);
    need(!this.epsilon.exceeds(Epsilon.parse(fields.epsilon)), "its epsilon is too small");
  }
}

/** Return the epsilon of all questions, or of the dearest ones that can be asked. @param {Manifest} manifest */
function totalOf({ ask, questions }) {
  const epsilons = questions.map(({ design }) => design.epsilon).sort((a, b) => Number(b.units - a.units));
  return epsilons.slice(0, ask ?? undefined).reduce((sum, epsilon) => sum.plus(epsilon), new Epsilon(0n));
}

/**
 * Return the manifest of an envelope that is signed by the pinned key.
 * @param {string} envelope @param {string} pinnedKey
 * @param {(payload: Uint8Array, manifest: Manifest) => void} [examine] checks the spelling besides
 */
export async function verify(envelope, pinnedKey, examine) {
  try {
    const { payload, signature, key } = JSON.parse(envelope);
    need(key === pinnedKey, "it is signed by another key");
    const [bytes, signed, raw] = [payload, signature, key.slice(8)].map(fromBase64url);
    const publicKey = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
    const message = await new Blob(["hushpoll manifest 1\n", bytes]).arrayBuffer();
    need(await crypto.subtle.verify("Ed25519", publicKey, signed, message), "it was changed after signing");
    const id = toHex(await crypto.subtle.digest("SHA-256", bytes));
    const manifest = new Manifest(JSON.parse(new TextDecoder().decode(bytes)), id);
    examine?.(bytes, manifest);
    return manifest;
  } catch (error) {
    const { name, message } = Object(error);
    if (name === "NotSupportedError") throw new Unsupported("no signatures: use a current browser");
    throw new ManifestRefused(`the manifest is refused: ${message}`, { cause: error });
  }
}
