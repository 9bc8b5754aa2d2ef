import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "../src/client.js";
import {
  AlreadyAnswered,
  EpsilonCapExceeded,
  HushpollError,
  InvalidValue,
  ManifestRefused,
  ReportRefused,
  ServerRefused,
  ServerUnreachable,
} from "../src/errors.js";
import { post } from "../src/http.js";
import { FileState } from "../src/node.js";
import { MemoryState } from "../src/state.js";
import { randomizeStrictly as randomize } from "../src/strict/randomize.js";
import { verifyStrictly as verify } from "../src/strict/verify.js";
import { fieldsOf, folder, KEY, publish, serve } from "./support.js";

const ACCEPTED = { status: 201, body: { status: "accepted" } };
const DUPLICATE = { status: 200, body: { status: "duplicate" } };
const ANSWERS = { cheated: true };

/** @param {number} status @param {string} name */
function problem(status, name) {
  return { status, body: { type: `urn:hushpoll:problem:${name}`, title: "No.", status, detail: "No." } };
}

/**
 * Serve one survey; the replies to reports are given in turn, the last one again and again.
 * @param {import("node:test").TestContext} context
 * @param {import("./support.js").Reply[]} replies
 */
async function collector(context, ...replies) {
  let next = 0;
  return serve(context, ({ method, url }) => {
    if (method === "GET") return { body: publish({ survey: String(url).split("/")[4] }) };
    next += 1;
    return replies[Math.min(next, replies.length) - 1];
  });
}

/**
 * Return the entries of reports, without the manifests that are kept.
 * @param {import("../src/types.js").State} state
 */
async function reportsIn(state) {
  return (await state.read()).filter(({ key }) => key === KEY);
}

/** @param {string} url @param {Partial<import("../src/types.js").Options>} options */
function clientOf(url, options = {}) {
  return new Client(url, { key: KEY, ...options });
}

test("a survey is loaded, randomized and submitted", async (context) => {
  const server = await collector(context, ACCEPTED);
  const client = clientOf(server.url);
  const survey = await client.survey("campus");
  const report = survey.randomize(ANSWERS);
  assert.deepEqual(await client.submit(report), { status: "accepted", survey: "campus", id: report.id });
  assert.deepEqual(server.reports(), [report.body]);
  assert.equal(await client.spent(), "1.0986122886681096914");
  assert.deepEqual(await client.receipt("campus"), { status: "accepted", survey: "campus", id: report.id });
  assert.equal(await client.receipt("other"), null);
});

test("the requests carry nothing that could tell one device from another", async (context) => {
  const server = await collector(context, ACCEPTED);
  const client = clientOf(`${server.url}/`);
  await client.submit((await client.survey("campus")).randomize(ANSWERS));
  const [get, post] = server.requests;
  assert.deepEqual([get.method, get.url], ["GET", "/api/v1/surveys/campus/manifest"]);
  assert.deepEqual([post.method, post.url], ["POST", "/api/v1/surveys/campus/reports"]);
  assert.equal(post.headers["content-type"], "application/json");
  for (const { headers } of server.requests) {
    for (const name of ["cookie", "referer", "authorization", "if-none-match"]) assert.equal(headers[name], undefined);
  }
});

test("the call to fetch leaves out cookies, referrer, cache and redirects", async (context) => {
  const server = await collector(context, ACCEPTED);
  /** @type {RequestInit[]} */
  const calls = [];
  /** @type {typeof globalThis.fetch} */
  const spy = (input, init) => {
    calls.push(init ?? {});
    return fetch(input, init);
  };
  const client = clientOf(server.url, { fetch: spy });
  await client.submit((await client.survey("campus")).randomize(ANSWERS));
  assert.equal(calls.length, 2);
  for (const { credentials, redirect, referrerPolicy, cache, signal } of calls) {
    assert.deepEqual([credentials, redirect, referrerPolicy, cache], ["omit", "error", "no-referrer", "no-store"]);
    assert.ok(signal);
  }
});

test("two opposite answers give requests of equal count, order and length", async (context) => {
  const lengths = [];
  for (const cheated of [true, false]) {
    const server = await collector(context, ACCEPTED);
    const client = clientOf(server.url);
    await client.submit((await client.survey("campus")).randomize({ cheated }));
    lengths.push(server.requests.map(({ method, url, body }) => [method, url, body.length]));
  }
  assert.deepEqual(lengths[0], lengths[1]);
});

test("randomizing is pure: nothing is kept and nothing is sent", async (context) => {
  const server = await collector(context, ACCEPTED);
  const state = new MemoryState();
  const client = clientOf(server.url, { state });
  const survey = await client.survey("campus");
  survey.randomize(ANSWERS);
  survey.randomize(ANSWERS);
  assert.deepEqual([await reportsIn(state), await client.spent(), server.requests.length], [[], "0", 1]);
});

test("the report is in the state before its first byte goes out, and the answer never is", async (context) => {
  const state = new MemoryState();
  /** @type {unknown} */
  let kept;
  const server = await serve(context, async ({ method }) => {
    if (method === "GET") return { body: publish() };
    kept = structuredClone(await reportsIn(state));
    return ACCEPTED;
  });
  const client = clientOf(server.url, { state });
  const report = (await client.survey("campus")).randomize(ANSWERS);
  await client.submit(report);
  const entry = {
    key: KEY,
    survey: "campus",
    manifest: report.manifest,
    epsilon: "1.0986122886681096914",
    id: report.id,
  };
  assert.deepEqual(kept, [{ ...entry, body: report.body, status: "queued", problem: null, notBefore: 0 }]);
  assert.deepEqual(await reportsIn(state), [{ ...entry, body: null, status: "accepted", problem: null, notBefore: 0 }]);
});

test("every kind of trouble leaves the report queued, and every retry sends the same bytes", async (context) => {
  const troubles = [
    { drop: true },
    { status: 500, body: "<h1>Oops</h1>" },
    { status: 502 },
    problem(503, "try-later"),
    problem(429, "try-later"),
    { status: 408 },
    problem(403, "survey-not-open"),
    { status: 403, body: "<h1>A proxy says no</h1>" },
    { status: 404, body: { type: "about:blank" } },
    { status: 404, body: { type: { toString: 1 } } },
    { status: 200, body: "<h1>Welcome to the hotel's network</h1>" },
    { status: 200, body: { status: "accepted" } },
    { status: 201, body: { status: "ok" } },
    { status: 201, body: `${" ".repeat(100_000)}{"status":"accepted"}` },
    { status: 302, headers: { Location: "/api/v1/surveys/campus/manifest" } },
    { status: 307, headers: { Location: "/elsewhere" } },
  ];
  const server = await collector(context, ...troubles, DUPLICATE);
  const client = clientOf(server.url);
  const report = (await client.survey("campus")).randomize(ANSWERS);
  const first = await client.submit(report);
  assert.deepEqual(first, { status: "queued", survey: "campus", id: report.id });
  for (const trouble of troubles.slice(1)) {
    const [receipt] = await client.flush();
    assert.equal(receipt.status, "queued", JSON.stringify(trouble).slice(0, 80));
  }
  assert.deepEqual(await client.flush(), [{ status: "duplicate", survey: "campus", id: report.id }]);
  assert.deepEqual(await client.flush(), []);
  assert.deepEqual(server.reports(), Array(troubles.length + 1).fill(report.body));
});

test("a server that does not know its name refuses no report for good", async () => {
  // Node's own fetch trips over a 421 and calls it a network error; a browser's does not.
  const refusal = { type: "urn:hushpoll:problem:wrong-host" };
  const fetch = async () => Response.json(refusal, { status: 421 });
  const { status, problem: type } = await post({ url: "https://polls.example.org", fetch }, "campus", "{}");
  assert.deepEqual([status, type], ["queued", refusal.type]);
});

test("a refusal of the collector is remembered with its type; the report is neither sent nor drawn again", async (context) => {
  for (const [status, name] of /** @type {const} */ ([
    [403, "survey-closed"],
    [400, "wrong-manifest"],
    [409, "conflict"],
  ])) {
    const server = await collector(context, problem(status, name));
    const client = clientOf(server.url);
    const survey = await client.survey("campus");
    const report = survey.randomize(ANSWERS);
    const receipt = { status: "rejected", survey: "campus", id: report.id, problem: `urn:hushpoll:problem:${name}` };
    assert.deepEqual(await client.submit(report), receipt);
    assert.deepEqual(await client.submit(report), receipt);
    assert.deepEqual(await client.flush(), []);
    await assert.rejects(client.submit(survey.randomize(ANSWERS)), AlreadyAnswered);
    assert.equal(server.reports().length, 1);
    assert.equal(await client.spent(), "1.0986122886681096914");
  }
});

test("a survey that has not opened yet keeps the report", async (context) => {
  const server = await collector(context, problem(403, "survey-not-open"), ACCEPTED);
  const client = clientOf(server.url);
  const report = (await client.survey("campus")).randomize(ANSWERS);
  const type = "urn:hushpoll:problem:survey-not-open";
  assert.deepEqual(await client.submit(report), { status: "queued", survey: "campus", id: report.id, problem: type });
  assert.deepEqual(await client.flush(), [{ status: "accepted", survey: "campus", id: report.id }]);
});

test("a second, different report to a survey is refused; the same one gives the earlier receipt", async (context) => {
  const server = await collector(context, ACCEPTED);
  const client = clientOf(server.url);
  const survey = await client.survey("campus");
  const report = survey.randomize(ANSWERS);
  const receipt = await client.submit(report);
  assert.deepEqual(await client.submit(report), receipt);
  await assert.rejects(client.submit(survey.randomize(ANSWERS)), (error) => {
    return (
      error instanceof AlreadyAnswered &&
      error instanceof ReportRefused &&
      /separate state for each/.test(error.message)
    );
  });
  assert.deepEqual(server.reports(), [report.body]);
});

test("of two different reports that are submitted at once, one is drawn for nothing", async (context) => {
  const server = await collector(context, ACCEPTED);
  const state = new FileState(join(await folder(context), "state.json"));
  const client = clientOf(server.url, { state });
  const survey = await client.survey("campus");
  const results = await Promise.allSettled([1, 2, 3].map(() => client.submit(survey.randomize(ANSWERS))));
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
  assert.equal(server.reports().length, 1);
});

test("submit and flush at the same time send once", async (context) => {
  const server = await collector(context, ACCEPTED);
  const client = clientOf(server.url);
  const report = (await client.survey("campus")).randomize(ANSWERS);
  const first = client.submit(report);
  const others = await Promise.all([client.submit(report), client.flush(), client.flush()]);
  assert.equal(server.reports().length, 1);
  assert.deepEqual(await first, others[0]);
});

test("a crash between keeping and sending loses nothing: the next process sends the same bytes", async (context) => {
  const path = join(await folder(context), "state.json");
  const server = await collector(context, ACCEPTED);
  /** @type {typeof globalThis.fetch} */
  const dying = (input, init) => (init?.method === "POST" ? new Promise(() => {}) : fetch(input, init));
  const before = clientOf(server.url, { state: new FileState(path), fetch: dying });
  const report = (await before.survey("campus")).randomize(ANSWERS);
  before.submit(report).catch(() => {});
  while ((await reportsIn(new FileState(path))).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const after = clientOf(server.url, { state: new FileState(path) });
  assert.equal(await after.spent(), "1.0986122886681096914");
  await assert.rejects(after.submit(report), ReportRefused);
  assert.deepEqual(await after.flush(), [{ status: "accepted", survey: "campus", id: report.id }]);
  assert.deepEqual(server.reports(), [report.body]);
  const survey = await after.survey("campus");
  await assert.rejects(after.submit(survey.randomize(ANSWERS)), AlreadyAnswered);
});

test("what another client has settled stays settled", async (context) => {
  const state = new MemoryState();
  /** @type {() => void} */
  let release = () => {};
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  let posts = 0;
  const server = await serve(context, async ({ method }) => {
    if (method === "GET") return { body: publish() };
    posts += 1;
    if (posts > 1) return ACCEPTED;
    await held;
    return { status: 503 };
  });
  const [slow, quick] = [clientOf(server.url, { state }), clientOf(server.url, { state })];
  const submitted = slow.submit((await slow.survey("campus")).randomize(ANSWERS));
  while (posts === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal((await quick.flush())[0].status, "accepted");
  release();
  assert.equal((await submitted).status, "accepted");
});

test("the surveys of another publisher are another's: counted together, answered and sent apart", async (context) => {
  const server = await collector(context, ACCEPTED);
  const state = new MemoryState();
  const other = {
    key: `ed25519:${"A".repeat(43)}`,
    survey: "campus",
    manifest: "0",
    epsilon: "1",
    id: "0",
    body: "{}",
  };
  await state.update(() => ({ ...other, status: "queued", problem: null, notBefore: 0 }));
  const client = clientOf(server.url, { state });
  assert.deepEqual(await client.flush(), []);
  assert.equal(await client.receipt("campus"), null);
  const report = (await client.survey("campus")).randomize(ANSWERS);
  assert.equal((await client.submit(report)).status, "accepted");
  assert.equal(await client.spent(), "2.0986122886681096914");
  assert.deepEqual(server.reports(), [report.body]);
});

test("a slow server means queued", async (context) => {
  const server = await serve(context, ({ method }) => (method === "GET" ? { body: publish() } : new Promise(() => {})));
  const client = clientOf(server.url, { timeout: 300 });
  assert.equal((await client.submit((await client.survey("campus")).randomize(ANSWERS))).status, "queued");
});

test("a report is only taken for a survey that this client has verified", async (context) => {
  const server = await collector(context, ACCEPTED);
  const manifest = await verify(publish({ survey: "other" }), KEY);
  const client = clientOf(server.url);
  const survey = await client.survey("campus");
  await assert.rejects(client.submit(randomize(manifest, ANSWERS)), ReportRefused);
  // What only looks like a report has the right type, but was not drawn here.
  await assert.rejects(client.submit({ ...survey.randomize(ANSWERS) }), ReportRefused);
  assert.deepEqual(server.reports(), []);
});

test("a survey above the client's own cap is refused", async (context) => {
  const server = await collector(context, ACCEPTED);
  const cap = (/** @type {string | number} */ maxEpsilon) => clientOf(server.url, { maxEpsilon }).survey("campus");
  await assert.rejects(cap("1.09"), EpsilonCapExceeded);
  await assert.rejects(cap(1), /above maxEpsilon \(1\)/);
  assert.ok(await cap("1.0986122886681096914"));
  const questions = Array.from({ length: 4 }, (_, i) => ({ ...fieldsOf().questions[0], id: `q${i}` }));
  const dear = await serve(context, () => ({ body: publish({ questions }) }));
  await assert.rejects(clientOf(dear.url).survey("campus"), /above maxEpsilon \(4\)/);
});

test("all surveys of a state together stay below the total cap", async (context) => {
  const server = await collector(context, ACCEPTED);
  const client = clientOf(server.url, { maxTotalEpsilon: "3" });
  const surveys = await Promise.all(["one", "two", "three"].map((name) => client.survey(name)));
  const results = await Promise.allSettled(surveys.map((survey) => client.submit(survey.randomize(ANSWERS))));
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "fulfilled", "rejected"],
  );
  assert.equal(await client.spent(), "2.1972245773362193828");
  await assert.rejects(client.survey("four"), (error) => {
    return error instanceof EpsilonCapExceeded && /maxTotalEpsilon \(3\)/.test(error.message);
  });
  assert.ok(await client.survey("one"));
  assert.equal(server.reports().length, 2);
});

test("a manifest that changed after it was answered is refused", async (context) => {
  let title = "Before";
  const server = await serve(context, ({ method }) => (method === "GET" ? { body: publish({ title }) } : ACCEPTED));
  const client = clientOf(server.url);
  await client.survey("campus");
  title = "Between";
  const [old, fresh] = [await client.survey("campus"), await client.survey("campus")];
  await client.submit(old.randomize(ANSWERS));
  title = "After";
  await assert.rejects(client.survey("campus"), (error) => {
    return error instanceof ManifestRefused && /changed after it was answered/.test(error.message);
  });
  await assert.rejects(client.submit(fresh.randomize(ANSWERS)), AlreadyAnswered);
});

test("a report to a manifest that was replaced before anybody answered cannot follow one to the new manifest", async (context) => {
  let title = "Before";
  const server = await serve(context, ({ method }) => (method === "GET" ? { body: publish({ title }) } : ACCEPTED));
  const client = clientOf(server.url);
  const before = await client.survey("campus");
  title = "After";
  await client.submit((await client.survey("campus")).randomize(ANSWERS));
  await assert.rejects(client.submit(before.randomize(ANSWERS)), AlreadyAnswered);
});

test("hostile manifests are refused, whatever their shape", async (context) => {
  const other = JSON.parse(publish());
  const hostile = [
    "",
    "{",
    "null",
    "[]",
    "{}",
    "[".repeat(10_000),
    publish({ survey: "other" }),
    publish({ population: -1 }),
  ];
  const bodies = [
    ...hostile,
    JSON.stringify({ ...other, key: `ed25519:${"A".repeat(43)}` }),
    Buffer.from([0xff, 0xfe]),
  ];
  let next = 0;
  const server = await serve(context, () => ({ body: bodies[next] }));
  for (; next < bodies.length; next += 1) {
    await assert.rejects(clientOf(server.url).survey("campus"), ManifestRefused, String(bodies[next]).slice(0, 60));
  }
});

test("a body without end is cut off", async (context) => {
  let sent = 0;
  const endless = new ReadableStream({
    pull: (controller) => {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
  const client = clientOf("https://polls.example.org", { fetch: async () => new Response(endless) });
  await assert.rejects(
    client.survey("campus"),
    (error) => error instanceof ServerUnreachable && /no answer/.test(error.message),
  );
  assert.ok(sent < 7_000_000);
  const server = await serve(context, () => ({ body: Buffer.alloc(7_000_000, 32) }));
  await assert.rejects(clientOf(server.url).survey("campus"), ServerUnreachable);
});

test("a server that gives out no survey is told apart from one that is away", async (context) => {
  let reply = /** @type {import("./support.js").Reply} */ ({});
  const server = await serve(context, () => reply);
  const client = clientOf(server.url);
  for (const status of [404, 403, 410]) {
    reply = { status, body: "canary" };
    await assert.rejects(client.survey("campus"), ServerRefused);
  }
  for (const trouble of [
    { status: 500 },
    { status: 429 },
    { status: 204 },
    { drop: true },
    { status: 301, headers: { Location: "/x" } },
  ]) {
    reply = trouble;
    await assert.rejects(client.survey("campus"), ServerUnreachable);
  }
  reply = { status: 400, body: "canary" };
  await assert.rejects(
    client.survey("campus"),
    (error) => error instanceof HushpollError && !error.message.includes("canary"),
  );
});

test("what would make a client unsafe is refused when it is made", () => {
  const url = "https://polls.example.org";
  const addresses = [
    "",
    "polls.example.org",
    "http://polls.example.org",
    "ftp://localhost",
    "https://u:p@x.org",
    `${url}?a=1`,
    `${url}#a`,
  ];
  for (const address of [
    ...addresses,
    "http://127.0.0.1.example.org",
    "http://localhost.example.org",
    "javascript:0",
  ]) {
    assert.throws(() => clientOf(address), InvalidValue, address);
  }
  for (const address of [url, `${url}/polls/`, "http://localhost:8000", "http://127.0.0.1", "http://[::1]:1"]) {
    assert.ok(clientOf(address));
  }
  // @ts-expect-error: the key is not optional
  assert.throws(() => new Client(url, {}), /a key must be written as ed25519:/);
  for (const key of ["", "ed25519:", `rsa:${"A".repeat(43)}`, null]) {
    assert.throws(() => clientOf(url, { key: /** @type {string} */ (key) }), InvalidValue);
  }
  assert.throws(() => clientOf(url, { maxEpsilon: 0.5 }), /maxEpsilon/);
  assert.throws(() => clientOf(url, { maxTotalEpsilon: "much" }), /maxTotalEpsilon/);
});

test("a name that is none never reaches the server", async (context) => {
  const server = await collector(context, ACCEPTED);
  for (const name of ["", "../x", "A", "a/b", "a?b", "x".repeat(65)]) {
    await assert.rejects(clientOf(server.url).survey(name), InvalidValue);
  }
  assert.deepEqual(server.requests, []);
});
