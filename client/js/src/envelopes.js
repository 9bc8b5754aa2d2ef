/**
 * Verified manifests that a state stores, so that a survey can be answered offline.
 *
 * Each is in an entry of no publisher, like the secret of the device, so every state can hold it. The rule here: what
 * is stored proves nothing. Whoever reads it verifies it against the pinned key again.
 */

/** @import { Manifest } from "./manifest.js" */
/** @import { Entry, State } from "./types.js" */

/**
 * Return the envelope that was stored last for a survey, if there is one.
 * @param {readonly Entry[]} entries @param {string} publisher @param {string} name
 */
export function findEnvelope(entries, publisher, name) {
  return entries.find(({ key, survey }) => key === shelf(publisher) && survey === name)?.envelope;
}

/**
 * Store the envelope of a verified manifest, unless it is stored already.
 * @param {State} state @param {string} publisher @param {Manifest} manifest
 * @param {string | Uint8Array} envelope
 */
export async function keepEnvelope(state, publisher, { survey, id: manifest }, envelope) {
  const text = typeof envelope === "string" ? envelope : new TextDecoder().decode(envelope);
  if (findEnvelope(await state.read(), publisher, survey) === text) return;
  const nothing = { epsilon: "0", id: "", body: null, problem: null, notBefore: 0 };
  const entry = { key: shelf(publisher), survey, manifest, ...nothing, envelope: text };
  await state.update(() => ({ ...entry, status: "accepted" }));
}

/** Return a key that no publisher can have. @param {string} publisher */
function shelf(publisher) {
  return `manifest ${publisher}`;
}
