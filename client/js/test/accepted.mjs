/**
 * Print mutants that the page accepts, one a line: `node accepted.mjs SEED COUNT < payloads.ndjson`.
 *
 * They are for a real browser, so they keep the name of the survey and stay below the page's own cap of epsilon.
 */
import { text } from "node:stream/consumers";
import { Epsilon } from "../src/epsilon.js";
import { Manifest } from "../src/manifest.js";
import { rowsOf } from "../src/panels.js";
import { mutate, SeededLot } from "./mutants.js";

const [seed, count] = process.argv.slice(2).map(Number);
const good = (await text(process.stdin)).trim().split("\n");
const lot = new SeededLot(seed);
for (let accepted = 0; accepted < count; ) {
  const original = JSON.parse(lot.one(good));
  const payload = JSON.stringify({ ...mutate(original, lot), survey: original.survey });
  if (!(await isAccepted(payload))) continue;
  accepted += 1;
  process.stdout.write(`${payload}\n`);
}

/** @param {string} payload */
async function isAccepted(payload) {
  try {
    const manifest = new Manifest(JSON.parse(payload), "");
    await rowsOf(manifest);
    return !manifest.epsilon.exceeds(Epsilon.parse(40));
  } catch {
    return false;
  }
}
