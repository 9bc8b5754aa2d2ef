/**
 * @file The signed manifest. What privacy rests on is checked here; strict.js checks the spelling besides.
 */
import { Epsilon } from "./epsilon.js";
import { ManifestRefused, need, Unsupported } from "./errors.js";
import { readQuestion } from "./questions.js";
import { toHex } from "./randomness.js";
import { checkShown } from "./shown.js";

export class Manifest {
  /** @param {T.Fields} fields @param {string} id */
  constructor({ format, epsilon, ask = null, ...fields }, id) {
    need(/^hushpoll-manifest-[123]$/.test(format), "its format is unknown: update Hushpoll");
    /** @remarks Characters that turn the direction of reading can make a text look like another one. */
    need(!/[\u202a-\u202e\u2066-\u2069]/.test(JSON.stringify(fields)), "a text turns the direction of reading");
    Object.assign(this, { panel: null, language: null, translations: {}, hosts: [], ...fields, id, ask });
    /** @type {T.Question[]} */
    this.questions = fields.questions.map(readQuestion);
    checkShown(this);
    const epsilons = this.questions.map(({ design }) => design.epsilon).sort((a, b) => Number(b.units - a.units));
    this.epsilon = epsilons.slice(0, ask ?? undefined).reduce((sum, epsilon) => sum.plus(epsilon), new Epsilon(0n));
    need(!this.epsilon.exceeds(Epsilon.parse(epsilon)), "its epsilon is too small");
  }
}

/**
 * Give the manifest of an envelope that is signed by the pinned key.
 * @param {string} envelope @param {string} pinnedKey @param {(payload: Uint8Array) => void} [examine] for strict.js
 * @returns {Promise<T.Manifest>}
 */
export async function verify(envelope, pinnedKey, examine) {
  try {
    const { payload, signature, key } = JSON.parse(envelope);
    need(key === pinnedKey, "another key than the pinned one signed it");
    const [bytes, signed, raw] = [payload, signature, key.slice(8)].map(fromBase64url);
    const publicKey = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
    const message = await new Blob(["hushpoll manifest 1\n", bytes]).arrayBuffer();
    need(await crypto.subtle.verify("Ed25519", publicKey, signed, message), "it was changed after signing");
    examine?.(bytes);
    const id = toHex(await crypto.subtle.digest("SHA-256", bytes));
    return new Manifest(JSON.parse(new TextDecoder().decode(bytes)), id);
  } catch (error) {
    const { name, message } = Object(error);
    if (name === "NotSupportedError") throw new Unsupported("no signatures: use a current browser");
    throw new ManifestRefused(`the manifest is refused: ${message}`);
  }
}

/** @param {string} text */
function fromBase64url(text) {
  const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(binary, (byte) => byte.charCodeAt(0));
}
