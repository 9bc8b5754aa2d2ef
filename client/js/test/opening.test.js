/** A survey that is not open is refused before anything is drawn or charged; what was stored in time is still sent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../src/client.js";
import { SurveyNotOpen } from "../src/errors.js";
import { MemoryState } from "../src/state.js";
import { KEY, publish, serve } from "./support.js";

const OPENS = "2026-11-01T08:00:00Z";
const CLOSES = "2026-11-30T18:00:00Z";
const DURING = Date.parse("2026-11-15T00:00:00Z");

/** @param {import("node:test").TestContext} context @param {number} status of the replies to reports */
function collector(context, status = 201) {
  const envelope = publish({ opens: OPENS, closes: CLOSES });
  const reply = { status, body: { status: "accepted" } };
  return serve(context, ({ method }) => (method === "GET" ? { body: envelope } : reply));
}

test("a survey is refused before it opens and from the moment it closes, with its times", async (context) => {
  const server = await collector(context);
  for (const [now, problem] of /** @type {[number, string][]} */ ([
    [Date.parse(OPENS) - 1, "survey-not-open"],
    [Date.parse(CLOSES), "survey-closed"],
  ])) {
    const client = new Client(server.url, { key: KEY, now: () => now });
    await assert.rejects(client.survey("campus"), (error) => {
      assert.ok(error instanceof SurveyNotOpen);
      const { survey, opens, closes } = error;
      assert.deepEqual([survey, opens, closes], ["campus", OPENS, CLOSES]);
      assert.equal(error.problem, `urn:hushpoll:problem:${problem}`);
      assert.match(error.message, /or set the clock of this device if it is wrong$/);
      return true;
    });
    assert.equal(await client.spent(), "0");
  }
  for (const now of [Date.parse(OPENS), Date.parse(CLOSES) - 1]) {
    assert.ok(await new Client(server.url, { key: KEY, now: () => now }).survey("campus"));
  }
});

test("a survey that closes between draw and submit is not charged and not sent", async (context) => {
  const server = await collector(context);
  let now = DURING;
  const client = new Client(server.url, { key: KEY, now: () => now });
  const report = (await client.survey("campus")).randomize({ cheated: true });
  now = Date.parse(CLOSES);
  await assert.rejects(client.submit(report), SurveyNotOpen);
  assert.deepEqual([await client.spent(), await client.receipt("campus"), server.reports()], ["0", null, []]);
});

test("what was stored in time is sent after the end, and the survey can still be looked at", async (context) => {
  const state = new MemoryState();
  let now = DURING;
  const busy = await collector(context, 500);
  const client = new Client(busy.url, { key: KEY, state, now: () => now });
  const report = (await client.survey("campus")).randomize({ cheated: true });
  assert.equal((await client.submit(report)).status, "queued");
  now = Date.parse(CLOSES) + 1;
  const server = await collector(context);
  const later = new Client(server.url, { key: KEY, state, now: () => now });
  assert.ok(await later.survey("campus"));
  assert.equal((await later.submit(report)).status, "accepted");
  assert.deepEqual(server.reports(), [report.body]);
});
