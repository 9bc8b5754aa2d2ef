/** Signed manifests: Ed25519 over the exact payload bytes behind a fixed prefix, checked by the platform (WebCrypto). */
import { InvalidValue, ManifestRefused, need, Unsupported } from "./errors.js";
import { Manifest } from "./manifest.js";
import { isObject, parse } from "./strict-json.js";

const PREFIX = "hushpoll manifest 1\n";
const KEY = /^ed25519:[\w-]{43}$/;
export const LARGEST_ENVELOPE = 2_000_000;

/**
 * Give the manifest of an envelope that is signed by the pinned key.
 *
 * With null, by the key that it names itself: that proves only that nothing was changed after signing.
 * @param {string | Uint8Array} envelope @param {string | null} pinnedKey
 */
export async function verify(envelope, pinnedKey) {
  if (pinnedKey !== null) checkKey(pinnedKey);
  try {
    const { payload, signature, key } = readEnvelope(envelope);
    need(pinnedKey === null || key === pinnedKey, "it is signed by another key than the pinned one: ask the publisher");
    const bytes = fromBase64url(payload);
    const isSigned = await isSignature(fromBase64url(signature), bytes, checkKey(key));
    need(isSigned, "its signature does not fit: it was changed after signing");
    return await Manifest.read(bytes);
  } catch (error) {
    throw error instanceof InvalidValue ? new ManifestRefused(`the manifest is refused: ${error.message}`) : error;
  }
}

/** Refuse what is no public key. @param {unknown} key */
export function checkKey(key) {
  const fits = typeof key === "string" && KEY.test(key);
  need(fits, "a key must be written as ed25519: followed by 43 characters");
  return key;
}

/** @param {string | Uint8Array} envelope */
function readEnvelope(envelope) {
  need(envelope.length <= LARGEST_ENVELOPE, "its envelope is too large");
  const fields = parse(envelope);
  const { payload, signature, key } = isObject(fields) ? fields : {};
  const areTexts = typeof payload === "string" && typeof signature === "string" && typeof key === "string";
  const fits = areTexts && Object.keys(Object(fields)).length === 3;
  need(fits, "its envelope must have exactly the texts payload, signature and key");
  return { payload, signature, key };
}

/** @param {Uint8Array<ArrayBuffer>} signature @param {Uint8Array<ArrayBuffer>} payload @param {string} key */
async function isSignature(signature, payload, key) {
  const { subtle } = crypto;
  if (!subtle) throw new Unsupported("signatures can only be checked in a secure context: open the page over https");
  const raw = fromBase64url(key.slice(8));
  const signed = new Uint8Array(await new Blob([PREFIX, payload]).arrayBuffer());
  try {
    const publicKey = await subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
    return await subtle.verify("Ed25519", publicKey, signature, signed);
  } catch (error) {
    const isMissing = error instanceof DOMException && error.name === "NotSupportedError";
    if (isMissing) throw new Unsupported("this browser cannot check Ed25519 signatures: update it or use another one");
    return false;
  }
}

/** @param {string} text */
function fromBase64url(text) {
  let binary = "";
  try {
    binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  } catch {
    // The comparison below refuses it.
  }
  const spelling = btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
  need(spelling === text, "it is not in base64url, in its one spelling without padding");
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
