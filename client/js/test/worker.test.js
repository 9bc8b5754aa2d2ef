import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { FileState } from "../src/node.js";
import { folder, KEY, PACKAGE, publish, serve } from "./support.js";

// A thread as an app would start one: it answers the survey with a state that all threads share.
const PROGRAM = `
  import { parentPort, workerData } from "node:worker_threads";
  import { Client } from ${JSON.stringify(`file://${PACKAGE}src/index.js`)};
  import { FileState } from ${JSON.stringify(`file://${PACKAGE}src/node.js`)};
  const { url, key, path } = workerData;
  const client = new Client(url, { key, state: new FileState(path) });
  const survey = await client.survey("campus");
  await new Promise((resolve) => { parentPort.once("message", resolve); parentPort.postMessage("ready"); });
  const outcome = await client.submit(survey.randomize({ cheated: true })).catch(({ name }) => ({ status: name }));
  parentPort.postMessage([outcome.status, await client.flush(), await client.spent()]);
`;

test("threads that answer at once with one state send one report, and all see it", async (context) => {
  const path = join(await folder(context), "state.json");
  const server = await serve(context, ({ method }) =>
    method === "GET" ? { body: publish() } : { status: 201, body: { status: "accepted" } },
  );
  const program = new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`);
  const workerData = { url: server.url, key: KEY, path };
  const threads = [1, 2, 3].map(() => new Worker(program, { workerData }));
  await Promise.all(threads.map((thread) => once(thread, "message")));
  for (const thread of threads) thread.postMessage("go");
  const told = await Promise.all(threads.map(async (thread) => (await once(thread, "message"))[0]));
  assert.deepEqual(told.map(([status]) => status).sort(), ["AlreadyAnswered", "AlreadyAnswered", "accepted"]);
  for (const [, , spent] of told) assert.equal(spent, "1.0986122886681096914");
  const [report, ...others] = server.reports();
  assert.ok(others.every((body) => body === report));
  const [entry, ...rest] = (await new FileState(path).read()).filter(({ key }) => key === KEY);
  assert.deepEqual([entry.status, entry.body, rest], ["accepted", null, []]);
});
