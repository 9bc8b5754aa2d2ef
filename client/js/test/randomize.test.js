import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { folder, KEY, PACKAGE, publish, vectors, yesNo } from "./support.js";

const PROGRAM = join(PACKAGE, "bin", "randomize.mjs");
const LINE = '{"cheated": true}';

/** @param {string[]} options */
function start(options) {
  return spawn(process.execPath, [PROGRAM, ...options], { stdio: "pipe" });
}

/** @param {string[]} options @param {string | Buffer} input */
async function run(options, input = "") {
  const child = start(options);
  // The program may end before it has read everything.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code, errors, reports: output.split("\n").slice(0, -1) };
}

/** @param {import("node:test").TestContext} context */
async function manifestFile(context) {
  const path = join(await folder(context), "M.json");
  await writeFile(path, publish());
  return path;
}

test("one line of answers gives one report, and blank lines none", async (context) => {
  const input = `${LINE}\n\n \t\r\n{"cheated":false}\r\n${LINE}`;
  const { code, errors, reports } = await run(["--manifest", await manifestFile(context), "--key", KEY], input);
  assert.deepEqual([code, errors, reports.length], [0, "", 3]);
  for (const report of reports) assert.match(report, /^{"v":1,"survey":"campus",.*"answers":{"cheated":"[01]"}}$/);
  assert.equal(new Set(reports.map((report) => report.length)).size, 1);
  assert.equal(new Set(reports.map((report) => JSON.parse(report).id)).size, 3);
});

test("the share of kept answers is the stated one over many chunks", async (context) => {
  // 20,000 draws at p = 3/4: six standard deviations are 0.0184; a false alarm has probability 2e-9.
  const { reports } = await run(["--manifest", await manifestFile(context)], `${LINE}\n`.repeat(20_000));
  assert.equal(reports.length, 20_000);
  const kept = reports.filter((report) => report.endsWith('{"cheated":"1"}}')).length;
  assert.ok(Math.abs(kept / 20_000 - 0.75) < 0.0184, String(kept));
});

test("a bad line ends it with its number and the cure, never with the answer; what came before is valid", async (context) => {
  const path = await manifestFile(context);
  const bad = [
    ['{"cheated": "canary"}', /line 3: the question cheated must be answered with true or false/],
    ['{"cheated": null}', /line 3: the question cheated must be answered/],
    ["{}", /line 3: the question cheated must be answered/],
    ['{"cheated": true, "canary": true}', /line 3: only these questions are asked: cheated/],
    ['{"cheated": true, "cheated": true}', /line 3: an object has the same key twice/],
    ["canary", /line 3: this is not JSON/],
    ["[true]", /line 3: answers must be an object/],
    [Buffer.from('{"cheated": true}\xff', "latin1"), /line 3: it is not UTF-8/],
    [`${" ".repeat(70_000)}${LINE}`, /line 3: it is too long/],
  ];
  for (const [line, message] of bad) {
    const input = Buffer.concat(
      [`${LINE}\n\n`, line, `\n${LINE}\n`].map((part) => Buffer.from(/** @type {string} */ (part))),
    );
    const { code, errors, reports } = await run(["--manifest", path], input);
    assert.equal(code, 1);
    assert.match(errors, /** @type {RegExp} */ (message));
    assert.doesNotMatch(errors, /canary/);
    assert.equal(errors.trimEnd().split("\n").length, 1);
    assert.deepEqual(
      reports.map((report) => Object.keys(JSON.parse(report).answers)),
      [["cheated"]],
    );
  }
});

test("a line without an end is refused before it fills the memory", async (context) => {
  const child = start(["--manifest", await manifestFile(context)]);
  child.stdin.on("error", () => {});
  child.stdin.write("x".repeat(200_000));
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  assert.equal(code, 1);
  assert.match(errors, /line 1: it is too long/);
});

test("a line is answered before the next one is sent", async (context) => {
  const child = start(["--manifest", await manifestFile(context)]);
  for (let i = 0; i < 3; i += 1) {
    child.stdin.write(`${LINE}\n`);
    const [report] = await once(child.stdout, "data");
    assert.match(String(report), /"cheated":"[01]"}}\n$/);
  }
  child.stdin.end();
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
});

test("a reader that goes away ends it without a word", async (context) => {
  const child = start(["--manifest", await manifestFile(context)]);
  child.stdin.on("error", () => {});
  child.stdin.end(`${LINE}\n`.repeat(200_000));
  await once(child.stdout, "data");
  child.stdout.destroy();
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  assert.deepEqual([errors, code], ["", 1]);
});

test("a manifest that cannot be trusted ends it before anything is read", async (context) => {
  const path = await manifestFile(context);
  const odd = join(await folder(context), "odd.json");
  await writeFile(odd, publish({ questions: [yesNo({ mechanism: { name: "none" } })] }));
  const other = `ed25519:${"A".repeat(43)}`;
  for (const [options, message] of [
    [["--manifest", odd], /a mechanism is unknown: update Hushpoll/],
    [["--manifest", path, "--key", other], /signed by another key/],
    [["--manifest", path, "--key", "canary"], /a key must be written as ed25519:/],
    [["--manifest", `${path}.missing`], /cannot be read \(ENOENT\)/],
  ]) {
    const { code, errors, reports } = await run(/** @type {string[]} */ (options), LINE);
    assert.equal(code, 1);
    assert.match(errors, /** @type {RegExp} */ (message));
    assert.deepEqual(reports, []);
  }
});

test("every type of question is randomized, and every line is another respondent", async (context) => {
  const { surveys } = await vectors("reports");
  for (const { envelope, reports: expected } of surveys) {
    const path = join(await folder(context), "M.json");
    await writeFile(path, envelope);
    const lines = expected.map((/** @type {any} */ { answers }) => `${JSON.stringify(answers)}\n`).join("");
    const { code, errors, reports } = await run(["--manifest", path], lines.repeat(20));
    assert.deepEqual([code, errors, reports.length], [0, "", 20 * expected.length]);
    const [{ body }] = expected;
    for (const report of reports) assert.equal(report.length, body.length);
    assert.deepEqual(Object.keys(JSON.parse(reports[0]).answers), Object.keys(JSON.parse(body).answers));
  }
});

test("a wrong call has exit code 2, help has 0", async () => {
  for (const options of [[], ["--manifset", "M.json"], ["--manifest"], ["M.json"]]) {
    const { code, errors } = await run(options);
    assert.equal(code, 2, String(options));
    assert.equal(errors.trimEnd().split("\n").length, 1);
  }
  const { code, reports } = await run(["--help"]);
  assert.equal(code, 0);
  assert.match(reports.join("\n"), /stops at the first bad line/);
});
