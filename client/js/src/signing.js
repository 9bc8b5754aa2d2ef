/**
 * Signatures on manifests: Ed25519 over the exact payload bytes behind a fixed prefix.
 *
 * There is no JSON canonicalisation to get wrong: the envelope carries the signed bytes themselves. The signature
 * is checked by the platform (WebCrypto), never by a fallback of our own.
 */
import { InvalidValue, ManifestRefused, Unsupported } from "./errors.js";
import { LARGEST_PAYLOAD, Manifest } from "./manifest.js";
import { decode, isObject, parse } from "./strict-json.js";

const PREFIX = new TextEncoder().encode("hushpoll manifest 1\n");
const KEY = /^ed25519:([\w-]{43})$/;
export const LARGEST_ENVELOPE = 2 * LARGEST_PAYLOAD;

/**
 * Give the manifest of an envelope whose signature holds.
 *
 * With a pinned key, the envelope must be signed by it; with null, by the key that it names itself, which proves
 * only that nothing was changed after signing.
 * @param {string | Uint8Array} envelope @param {string | null} pinnedKey
 * @returns {Promise<Manifest>}
 */
export async function verify(envelope, pinnedKey) {
  const { payload, signature, key } = readEnvelope(envelope);
  if (pinnedKey !== null && key !== checkKey(pinnedKey)) {
    throw new ManifestRefused("the manifest is signed by another key than the pinned one: ask the publisher why");
  }
  const bytes = decodeBase64url(payload, "payload");
  if (!(await isSigned(bytes, decodeBase64url(signature, "signature"), key))) {
    throw new ManifestRefused("the signature does not fit the manifest: it was changed after signing");
  }
  return Manifest.read(bytes);
}

/**
 * Refuse what is not a public key such as ed25519:…
 * @param {unknown} key
 */
export function checkKey(key) {
  if (typeof key !== "string" || !KEY.test(key)) {
    throw new InvalidValue("a key must be written as ed25519: followed by 43 characters");
  }
  return key;
}

/** @param {string | Uint8Array} envelope */
function readEnvelope(envelope) {
  if (envelope.length > LARGEST_ENVELOPE) throw new ManifestRefused("the envelope is too large to be a manifest");
  const fields = parseEnvelope(envelope);
  if (!isObject(fields) || Object.keys(fields).sort().join() !== "key,payload,signature") {
    throw new ManifestRefused("the envelope must have exactly payload, signature and key");
  }
  const { payload, signature, key } = fields;
  if (typeof payload !== "string" || typeof signature !== "string" || typeof key !== "string") {
    throw new ManifestRefused("payload, signature and key must be texts");
  }
  return { payload, signature, key };
}

/** @param {string | Uint8Array} envelope */
function parseEnvelope(envelope) {
  try {
    return parse(typeof envelope === "string" ? envelope : decode(envelope));
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new ManifestRefused(`the envelope cannot be read: ${error.message}`);
  }
}

/** @param {Uint8Array} payload @param {Uint8Array<ArrayBuffer>} signature @param {string} key */
async function isSigned(payload, signature, key) {
  const signed = new Uint8Array(PREFIX.length + payload.length);
  signed.set(PREFIX);
  signed.set(payload, PREFIX.length);
  return subtle().verify("Ed25519", await importKey(key), signature, signed);
}

/** @param {string} key */
async function importKey(key) {
  if (!KEY.test(key)) throw new ManifestRefused("the envelope's key is not an Ed25519 key");
  const raw = decodeBase64url(key.slice("ed25519:".length), "key");
  try {
    return await subtle().importKey("raw", raw, "Ed25519", false, ["verify"]);
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotSupportedError") {
      throw new Unsupported("this browser cannot check Ed25519 signatures: update it, or use another browser");
    }
    throw new ManifestRefused("the envelope's key is not an Ed25519 key");
  }
}

function subtle() {
  if (!globalThis.crypto?.subtle) {
    throw new Unsupported("signatures can only be checked in a secure context: open the page over https");
  }
  return globalThis.crypto.subtle;
}

/** @param {string} text @param {string} what */
function decodeBase64url(text, what) {
  const binary = fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"), what);
  // Bits beyond the last byte must be zero and nothing may stand between: one spelling for each value.
  if (btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") !== text) {
    throw new ManifestRefused(`the ${what} is not base64url in its one spelling, without padding`);
  }
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** @param {string} text @param {string} what */
function fromBase64(text, what) {
  try {
    return atob(text);
  } catch {
    throw new ManifestRefused(`the ${what} is not base64url`);
  }
}
