import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { ManifestRefused } from "../src/errors.js";
import { verify } from "../src/manifest.js";
import { derive } from "../src/permanent.js";
import { randomizeStrictly, verifyStrictly } from "../src/strict.js";
import { envelopeOf, FixedTestStream, KEY, publish, vectors } from "./support.js";

const { key, good, refused, survey } = await vectors("manifests3");

test("every good manifest of the vectors is accepted, by an app and by the page, with all that the page shows", async () => {
  for (const payload of good) {
    const fields = JSON.parse(payload);
    for (const read of [verifyStrictly, verify]) {
      const manifest = await read(envelopeOf(payload), KEY);
      for (const key of /** @type {const} */ (["language", "translations", "hosts"])) {
        assert.deepEqual(manifest[key], fields[key]);
      }
      assert.deepEqual(
        manifest.questions.map(({ when }) => when),
        fields.questions.map((/** @type {any} */ { when }) => when),
      );
    }
  }
});

test("every bad manifest of the vectors is refused by an app", async () => {
  assert.ok(refused.length > 50);
  for (const { payload, why } of refused) {
    await assert.rejects(verifyStrictly(envelopeOf(payload), KEY), ManifestRefused, why);
  }
});

test("earlier formats have no language, no translations and no hosts, and every question is shown", async () => {
  const manifest = await verifyStrictly(publish(), KEY);
  assert.deepEqual([manifest.language, manifest.translations, manifest.hosts], [null, {}, []]);
  assert.equal(manifest.questions[0].when, null);
});

test("reports do not look at when: they are those of the vectors, and so are permanent draws", async () => {
  const manifest = await verifyStrictly(survey.envelope, key);
  assert.equal(manifest.id, survey.id);
  for (const { answers, seed, secret, body, bytes, memos } of survey.reports) {
    const device = Buffer.from(secret, "hex");
    const memory = await derive(manifest, (text) => createHmac("sha256", device).update(text).digest());
    const source = new FixedTestStream(seed);
    const report = randomizeStrictly(manifest, answers, source, () => memory);
    assert.deepEqual([report.body, source.taken], [body, bytes]);
    assert.deepEqual(report.charge([]).memos, Object.values(memos));
  }
});
