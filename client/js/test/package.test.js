import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { DESIGNS } from "../src/designs/index.js";
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
    "Unsupported",
    "Warner",
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

/** Read the modules of a folder. @param {string} path */
async function modulesOf(path) {
  const names = (await readdir(join(PACKAGE, path))).filter((name) => name.endsWith(".js") && name !== "node.js");
  const sources = names.map(async (name) => ({ name, source: await readFile(join(PACKAGE, path, name), "utf8") }));
  return Promise.all(sources);
}

/** @param {string} source */
function staticImports(source) {
  return [...source.matchAll(/^(?:import|export) [^;]*?from "(.*)";$/gm)].map(([, path]) => path);
}

test("what a browser loads imports nothing but its neighbours", async () => {
  const modules = [...(await modulesOf("src")), ...(await modulesOf("src/designs"))];
  assert.ok(modules.some(({ name }) => name === "client.js") && modules.some(({ name }) => name === "subset.js"));
  for (const { name, source } of modules) {
    for (const path of staticImports(source)) assert.match(path, /^\.\.?\/(?:designs\/)?[a-z0-9_]+\.js$/, name);
    assert.doesNotMatch(source, /\bprocess\b|\bBuffer\b/, name);
  }
});

test("every design is in the closed table, and nothing is loaded later", async () => {
  const modules = [...(await modulesOf("src")), ...(await modulesOf("src/designs"))];
  for (const { name, source } of modules) assert.doesNotMatch(source, /\bimport\(/, name);
  const designs = modules.filter(({ source }) =>
    /^export class \w+ extends (?:Design|Subset|TwoWeights)/m.test(source),
  );
  const named = designs.map(({ name }) => name.slice(0, -3)).filter((name) => name !== "two_weights");
  assert.deepEqual(Object.keys(DESIGNS).sort(), named.sort());
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
  assert.match(server.reports()[0], /"answers":{"cheated":[01]}}$/);
  assert.deepEqual(await readdir(cwd), ["hushpoll.json"]);
});
