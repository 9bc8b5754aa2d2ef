/**
 * Verified manifests that a state keeps, so that a survey can be answered without its server.
 *
 * Each lies in an entry of no publisher, as the secret of the device does, so every state can hold it. The rule here:
 * what is kept proves nothing. Who takes it out verifies it against the pinned key again.
 */

/** @import { Manifest } from "./manifest.js" */
/** @import { Entry, State } from "./types.js" */

/**
 * Return the envelope that was kept last for a survey, if there is one.
 * @param {readonly Entry[]} entries @param {string} publisher @param {string} name
 */
export function findEnvelope(entries, publisher, name) {
  return entries.find(({ key, survey }) => key === shelf(publisher) && survey === name)?.envelope;
}

/**
 * Keep the envelope of a manifest that was verified; one that is kept already is not written again.
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

/** Name a place that no publisher's key can name. @param {string} publisher */
function shelf(publisher) {
  return `manifest ${publisher}`;
}
