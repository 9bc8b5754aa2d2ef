/** Public groups: declared in the manifest, named by a link or an app, sent in a code of one width. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dimensionsOf, groupCode, labelsOf } from "../src/groups.js";
import { AnswerRefused, randomize, verify } from "../src/index.js";
import { verify as verifyAsPage } from "../src/manifest.js";
import { randomize as randomizeAsPage } from "../src/report.js";
import { FixedTestStream, KEY, vectors } from "./support.js";

const { envelope, good, refused } = (await vectors("reports")).grouped;
const manifest = await verify(envelope, KEY);

test("a report carries the labels in a code of one width, by an app and by the page", async () => {
  const page = await verifyAsPage(envelope, KEY);
  for (const { answers, groups, seed, body } of good) {
    assert.equal(randomize(manifest, answers, new FixedTestStream(seed), undefined, groups).body, body);
    assert.equal(randomizeAsPage(page, answers, groups, new FixedTestStream(seed)).body, body);
    assert.equal(body.length, good[0].body.length);
  }
});

test("a code stands for the labels that it was made of", () => {
  for (const { groups } of good) {
    const code = groupCode(groups, manifest.groups);
    assert.deepEqual(
      labelsOf(String(code), manifest.groups)
        .map(([id]) => id)
        .sort(),
      [...groups].sort(),
    );
  }
});

test("labels that the survey does not have are refused before anything is drawn, and not repeated", () => {
  for (const labels of refused) {
    const source = new FixedTestStream("none");
    assert.throws(
      () => randomize(manifest, { cheated: true }, source, undefined, labels),
      (error) => error instanceof AnswerRefused && !error.message.includes("other"),
    );
    assert.equal(source.taken, 0);
    assert.equal(groupCode(labels, manifest.groups), undefined);
  }
});

test("a survey without groups takes none", () => {
  assert.equal(groupCode([]), "");
  assert.equal(groupCode(["arts"]), undefined);
});

test("a survey whose combinations of labels could name a person is refused", () => {
  const labels = (/** @type {string} */ letter) =>
    Array.from({ length: 16 }, (_, i) => /** @type {const} */ ([`${letter}${i}`, "x"]));
  const dimensions = ["a", "b"].map((id) => ({ id, text: id, labels: labels(id) }));
  assert.throws(() => dimensionsOf({ smallest: 1, dimensions }), /too many groups/);
  assert.equal(groupCode(["a1"], { smallest: 1, dimensions: dimensions.slice(1) }), undefined);
  assert.equal(groupCode(["a1"], { smallest: 1, dimensions: dimensions.slice(0, 1) }), "01");
});

test("a dimension with more labels than two digits can tell is refused, so that what is shown is what is sent", () => {
  const labels = Array.from({ length: 49 }, (_, i) => /** @type {const} */ ([`l${i}`, `L ${i}`]));
  assert.throws(() => dimensionsOf({ smallest: 1, dimensions: [{ id: "d", text: "D", labels }] }), /too many groups/);
});
