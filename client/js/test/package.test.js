import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import * as errors from "../src/errors.js";
import * as hushpoll from "../src/index.js";
import * as node from "../src/node.js";
import { folder, PACKAGE, publish, serve } from "./support.js";

const README = await readFile(join(PACKAGE, "README.md"), "utf8");

test("the public list is this one", () => {
  assert.deepEqual(Object.keys(hushpoll).sort(), [
    "AlreadyAnswered",
    "AnswerRefused",
    "Client",
    "ClientError",
    "Epsilon",
    "EpsilonCapExceeded",
    "HushpollError",
    "IndexedDBState",
    "InvalidValue",
    "Manifest",
    "ManifestRefused",
    "MemoryState",
    "Question",
    "Report",
    "ReportRefused",
    "SecureBytes",
    "ServerRefused",
    "ServerUnreachable",
    "StateFailed",
    "Survey",
    "SurveyNotOpen",
    "Unsupported",
    "randomize",
    "verify",
  ]);
  assert.deepEqual(Object.keys(node), ["FileState"]);
});

test("every error is public, knows its name and is in the README", () => {
  const { HushpollError } = hushpoll;
  const classes = Object.entries(errors).filter(
    ([, value]) => typeof value === "function" && (value === HushpollError || value.prototype instanceof HushpollError),
  );
  assert.ok(classes.length > 10);
  for (const [name, Class] of /** @type {[string, typeof HushpollError][]} */ (classes)) {
    assert.ok(name in hushpoll, name);
    assert.equal(new Class("x").name, name);
    assert.ok(new Class("x") instanceof HushpollError);
    assert.ok(README.includes(name), name);
  }
});

/** Read the modules of a folder, but for what is for Node alone. @param {string} path */
async function modulesOf(path) {
  const all = await readdir(join(PACKAGE, path), { recursive: true });
  const names = all.filter((name) => name.endsWith(".js") && name !== "node.js");
  const sources = names.map(async (name) => ({ name, source: await readFile(join(PACKAGE, path, name), "utf8") }));
  return Promise.all(sources);
}

/** @param {string} source */
function staticImports(source) {
  return [...source.matchAll(/^(?:import|export) [^;]*?from "(.*)";$/gm)].map(([, path]) => path);
}

test("what a browser loads imports nothing but its neighbours, and later nothing but words", async () => {
  const modules = await modulesOf("src");
  for (const name of ["client.js", "mechanisms/subset.js", "question_types/scale.js", "strict/verify.js"]) {
    assert.ok(modules.some((module) => module.name === name));
  }
  for (const { name, source } of modules) {
    const code = source.replace(/\/\*.*?\*\//gs, "");
    for (const path of staticImports(code)) assert.match(path, /^\.\.?\/(?:[a-z_]+\/)?[a-z0-9_]+\.js$/, name);
    assert.doesNotMatch(code, /\bprocess\b|\bBuffer\b/, name);
    const later = [...code.matchAll(/\bimport\s*\(([^)]*)\)/g)].map(([, path]) => path);
    // Words are no code, and no app needs those of all languages.
    assert.ok(
      later.every((path) => name === "strict/words.js" && path.startsWith('"../../words/')),
      name,
    );
  }
});

test("what the page reads does not need the strict readers, and they need nothing of the form", async () => {
  const modules = await modulesOf("src");
  const apps = ["client.js", "fetching.js", "index.js", "node.js", "survey.js", "transport.js"];
  for (const { name, source } of modules) {
    const isStrict = staticImports(source).some((path) => path.includes("strict"));
    assert.ok(!isStrict || apps.includes(name) || name.startsWith("strict/"), name);
    assert.ok(!staticImports(source).some((path) => path.includes("form/")), name);
  }
});

test("what the researcher's pages load imports nothing but its neighbours", async () => {
  for (const { name, source } of await modulesOf("dashboard")) {
    for (const path of staticImports(source)) assert.match(path, /^\.\/[a-z_]+\.js$/, name);
    assert.doesNotMatch(source, /\bimport\s*\(|\beval\b|\bFunction\b/, name);
  }
});

test("the example in the README runs", async (context) => {
  const [, example] = /```js\n(.*?)```/s.exec(README) ?? [];
  assert.ok(example.split("\n").length <= 27);
  const server = await serve(context, ({ method }) =>
    method === "GET" ? { body: publish() } : { status: 201, body: { status: "accepted" } },
  );
  const program = example
    .replace('"hushpoll"', JSON.stringify(`${PACKAGE}src/index.js`))
    .replace('"hushpoll/node"', JSON.stringify(`${PACKAGE}src/node.js`))
    .replace("https://polls.example.org", server.url);
  const cwd = await folder(context);
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { cwd });
  // As a person does: wait for the question, and do not hang up. Newer Nodes complain about an input that ends first.
  child.stdout.once("data", () => child.stdin.write("y\n"));
  const [output, problems, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  assert.deepEqual([code, problems, output], [0, "", "Did you? [y/n] accepted 1.0986122886681096914\n"]);
  assert.match(server.reports()[0], /"answers":{"cheated":"[01]"}}$/);
  assert.deepEqual(await readdir(cwd), ["hushpoll.json"]);
});
