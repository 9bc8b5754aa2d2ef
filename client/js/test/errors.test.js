/** Errors: what programs read of them, and that no answer is in them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { Client } from "../src/client.js";
import * as errors from "../src/errors.js";
import { FileState } from "../src/node.js";
import { MemoryState } from "../src/state.js";
import { randomizeStrictly as randomize } from "../src/strict/randomize.js";
import { verifyStrictly as verify } from "../src/strict/verify.js";
import { folder, KEY, publish, serve, surveyOfVectors } from "./support.js";

const SURVEY = await surveyOfVectors("everything");
const MANIFEST = await verify(SURVEY.envelope, KEY);
const [{ answers: ANSWERS }] = SURVEY.reports;

/** Return what a call throws. @param {() => unknown} work @returns {Promise<any>} */
async function thrown(work) {
  try {
    await work();
  } catch (error) {
    return error;
  }
  assert.fail("nothing was thrown");
}

test("all that is wrong with answers is told at once, with what can be answered, and without the answers", async () => {
  const wrong = { ...ANSWERS, cheated: "canary", few: ["canary"], stress: 99, canary: true };
  const error = await thrown(() => randomize(MANIFEST, wrong));
  assert.ok(error instanceof errors.AnswerRefused);
  const [cheated, few, stress, all] = ["cheated", "few", "stress", null].map((id) =>
    error.problems.find(({ question }) => question === id),
  );
  assert.equal(error.problems.length, 4);
  assert.deepEqual(cheated?.allowed, [false, true]);
  assert.deepEqual(stress?.allowed, [-1, 0, 1, 2, 3, 4]);
  assert.ok(few?.allowed.every((id) => few.message.includes(String(id))));
  assert.match(String(all?.message), /^only these questions are asked: cheated, /);
  assert.equal(error.message, error.problems.map(({ message }) => message).join("; "));
  assert.ok(Object.isFrozen(error.problems) && Object.isFrozen(cheated));
  assert.doesNotMatch(inspect(error, { depth: null }), /canary|99/);
});

test("of a codebook a message names twenty options, and the problem lists them all", async () => {
  const codebook = MANIFEST.questions.find(({ options }) => options.length > 20);
  assert.ok(codebook);
  const error = await thrown(() => randomize(MANIFEST, { ...ANSWERS, [codebook.id]: 1 }));
  const rest = codebook.options.length - 20;
  assert.match(error.message, new RegExp(`, ${codebook.options[19].id} and ${rest} more\\)`));
  assert.equal(error.problems[0].allowed.length, codebook.answers.length);
});

test("a server that refuses is told with its status and the type of its problem, never with its text", async (context) => {
  const type = "urn:hushpoll:problem:unknown-survey";
  for (const [body, problem] of /** @type {[object | string, string | null][]} */ ([
    [{ type, title: "canary" }, type],
    [{ type: "urn:canary" }, null],
    ["canary", null],
  ])) {
    const server = await serve(context, () => ({ status: 404, body }));
    const error = await thrown(() => new Client(server.url, { key: KEY }).survey("campus"));
    assert.ok(error instanceof errors.ServerRefused);
    assert.deepEqual([error.survey, error.status, error.problem], ["campus", 404, problem]);
    assert.doesNotMatch(inspect(error), /canary/);
  }
});

test("a server that is away is told with its status, or without one with the cause", async (context) => {
  const busy = await serve(context, () => ({ status: 503 }));
  const error = await thrown(() => new Client(busy.url, { key: KEY }).survey("campus"));
  assert.ok(error instanceof errors.ServerUnreachable);
  assert.equal(error.status, 503);
  const cause = new TypeError("fetch failed");
  const failing = () => Promise.reject(cause);
  const away = await thrown(() =>
    new Client("https://polls.example.org/below", { key: KEY, fetch: failing }).survey("campus"),
  );
  assert.ok(away instanceof errors.ServerUnreachable);
  assert.deepEqual([away.status, away.cause], [null, cause]);
  assert.match(away.message, /^no answer from polls\.example\.org that can be read: /);
});

test("a survey that costs too much is told with its cost, the cap and the option that sets it", async (context) => {
  const server = await serve(context, () => ({ body: publish() }));
  for (const option of ["maxEpsilon", "maxTotalEpsilon"]) {
    const error = await thrown(() => new Client(server.url, { key: KEY, [option]: "1/2" }).survey("campus"));
    assert.ok(error instanceof errors.EpsilonCapExceeded);
    const { survey, epsilon, cap } = error;
    assert.deepEqual([survey, epsilon, cap, error.option], ["campus", "1.0986122886681096914", "0.5", option]);
    assert.match(error.message, new RegExp(`above ${option} \\(0.5\\): leave it out`));
  }
});

test("a second report is refused with the name of the survey", async (context) => {
  const server = await serve(context, ({ method }) => (method === "GET" ? { body: publish() } : { status: 500 }));
  const client = new Client(server.url, { key: KEY });
  const survey = await client.survey("campus");
  await client.submit(survey.randomize({ cheated: true }));
  const error = await thrown(() => client.submit(survey.randomize({ cheated: true })));
  assert.ok(error instanceof errors.AlreadyAnswered);
  assert.equal(error.survey, "campus");
  assert.match(error.message, /use a separate state for each respondent$/);
  const stranger = await thrown(() => client.submit(/** @type {any} */ ({ survey: "campus", body: "canary" })));
  assert.ok(stranger instanceof errors.ReportRefused);
  assert.doesNotMatch(inspect(stranger), /canary/);
});

test("a state that fails and a manifest that is refused keep their cause", async (context) => {
  const missing = join(await folder(context), "nowhere", "state.json");
  const failed = await thrown(() => new FileState(missing).update(([entry]) => entry));
  assert.ok(failed instanceof errors.StateFailed);
  assert.equal(Object(failed.cause).code, "ENOENT");
  const refused = await thrown(() => verify(JSON.stringify({ ...JSON.parse(publish()), signature: "AAAA" }), KEY));
  assert.ok(refused instanceof errors.ManifestRefused);
  assert.ok(refused.cause instanceof errors.InvalidValue);
});

test("no error of a client that was given an answer holds it, however deep one looks", async () => {
  const state = new MemoryState();
  const failing = () => Promise.reject(new TypeError("fetch failed"));
  const client = new Client("https://polls.example.org", { key: KEY, state, fetch: failing });
  const seen = [
    await thrown(() => client.survey("campus")),
    await thrown(() => randomize(MANIFEST, { way: "canary" })),
  ];
  for (const error of seen) assert.doesNotMatch(inspect(error, { depth: null, showHidden: true }), /canary/);
});
