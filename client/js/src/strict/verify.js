/**
 * Manifests as apps must have them: what a page leaves to the signature is checked here.
 *
 * A page trusts the publisher's key for the spelling of a manifest and checks what privacy rests on. For an app, all
 * readers in all languages must read the same: one spelling, no duplicate keys, nothing unknown.
 */
import { InvalidValue, ManifestRefused, need, Unsupported } from "../errors.js";
import { verify } from "../manifest.js";
import { examinePayload } from "./manifest.js";
import { withWords } from "./told.js";
import { check, checkKey, parse } from "./values.js";

export const LARGEST_ENVELOPE = 6e6;

/**
 * Return the manifest of an envelope that is signed by the pinned key, spelled as all readers spell it, and frozen.
 *
 * With null, the key that the envelope itself names is used: that proves only that nothing was changed after signing.
 * @param {string | Uint8Array} envelope @param {string | null} pinnedKey
 */
export async function verifyStrictly(envelope, pinnedKey) {
  if (pinnedKey !== null) checkKey(pinnedKey);
  // Outside a secure context there is no `subtle`.
  if (!globalThis.crypto?.subtle) throw new Unsupported("this browser cannot check signatures here: use https");
  const { key, text } = readEnvelope(envelope);
  return freeze(withWords(await verify(text, pinnedKey ?? key, examinePayload)));
}

/** @param {string | Uint8Array} envelope */
function readEnvelope(envelope) {
  try {
    need(envelope.length <= LARGEST_ENVELOPE, "it is too large");
    const fields = Object(parse(envelope));
    need(Object.keys(fields).length === 3, "its envelope is not valid");
    for (const text of [fields.payload, fields.signature]) checkBase64url(text);
    const text = typeof envelope === "string" ? envelope : new TextDecoder().decode(envelope);
    return { key: checkKey(fields.key), text };
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw new ManifestRefused(`the manifest is refused: ${error.message}`, { cause: error });
  }
}

/** @param {unknown} value */
function checkBase64url(value) {
  const message = "it is not base64url";
  const text = check(value, /^[\w-]*$/, message);
  need(text.length % 4 !== 1, message);
  const standard = text.replace(/-/g, "+").replace(/_/g, "/");
  need(btoa(atob(standard)).startsWith(standard), message);
}

/** Freeze a value and everything in it. @template V @param {V} value @returns {V} */
function freeze(value) {
  if (Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(Object(value))) freeze(part);
  return value;
}
