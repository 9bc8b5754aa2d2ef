/**
 * Manifests that a hostile publisher could sign: whatever the page accepts of them keeps the law of the page.
 *
 * The quick form is part of every test run; `make fuzz` runs the long one (HUSHPOLL_LONG=1). Both are seeded.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Manifest } from "../src/manifest.js";
import { checkLaw } from "./law.js";
import { goodManifests, mutate, SeededLot } from "./mutants.js";

const MUTANTS = process.env.HUSHPOLL_LONG ? 200_000 : 4_000;
const ID = "0".repeat(64);

test("every good manifest keeps the law of the page", async () => {
  for (const [i, fields] of (await goodManifests()).entries()) checkLaw(new Manifest(fields, ID), fields, i);
});

test("no mutant of a manifest that the page accepts puts an answer outside its mechanism, makes two one, or throws", async (context) => {
  const good = await goodManifests();
  const lot = new SeededLot(11);
  let accepted = 0;
  /** @type {string[]} */
  const leaking = [];
  for (let tried = 0; tried < MUTANTS; tried += 1) {
    const mutant = JSON.stringify(mutate(lot.one(good), lot));
    const manifest = read(mutant);
    if (!manifest) continue;
    accepted += 1;
    try {
      checkLaw(manifest, JSON.parse(mutant), tried);
    } catch (error) {
      leaking.push(`${Object(error).message}: ${mutant}`);
    }
  }
  context.diagnostic(`mutants tried ${MUTANTS}, accepted ${accepted}, leaking ${leaking.length}`);
  assert.deepEqual(leaking.slice(0, 5), []);
  assert.ok(accepted > MUTANTS / 20, `${accepted} of ${MUTANTS} accepted are too few to prove anything`);
});

/** Read a payload as the page does, without its signature; nothing if it is refused. @param {string} payload */
function read(payload) {
  try {
    return new Manifest(JSON.parse(payload), ID);
  } catch {
    return null;
  }
}
