import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../src/client.js";
import { randomizedWait } from "../src/queue.js";
import { MemoryState } from "../src/state.js";
import { secondsToWait } from "../src/transport.js";
import { KEY, publish, serve, vectors } from "./support.js";

/** @import { Options } from "../src/types.js" */
/** @import { Reply } from "./support.js" */

const ACCEPTED = { status: 201, body: { status: "accepted" } };
const AWAY = { drop: true };
const ANSWERS = { cheated: true };
const START = 1_700_000_000_000;
const TRY_LATER = "urn:hushpoll:problem:try-later";

/** @param {string} asked @param {Record<string, string>} headers */
function busy(asked, headers = {}) {
  return { status: 503, headers: { "Retry-After": asked, ...headers }, body: { type: TRY_LATER } };
}

/** A clock that only sleeping moves. */
class Time {
  now = START;
  /** @type {number[]} */
  slept = [];

  /** @param {number} ms */
  async sleep(ms) {
    this.slept.push(ms);
    this.now += ms;
  }
}

/**
 * Serve any survey; the replies to reports are given in turn, then all are accepted.
 * @param {import("node:test").TestContext} context
 * @param {Reply[]} replies
 */
async function collector(context, ...replies) {
  const time = new Time();
  const server = await serve(context, ({ method, url }) => {
    if (method === "GET") return { body: publish({ survey: String(url).split("/")[4] }) };
    return replies.shift() ?? ACCEPTED;
  });
  /** @param {Partial<Options>} options */
  const open = (options = {}) =>
    new Client(server.url, { key: KEY, now: () => time.now, sleep: (ms) => time.sleep(ms), ...options });
  return { server, time, open };
}

/** @param {Client} client */
async function draw(client, name = "campus") {
  return (await client.survey(name)).randomize(ANSWERS);
}

test("Retry-After is read alike in all languages", async () => {
  const { cases } = await vectors("retry_after");
  for (const { wait, ...headers } of cases)
    assert.equal(secondsToWait(new Headers(headers)), wait, JSON.stringify(headers));
});

test("a wait is randomized up to twice its length", () => {
  const waits = Array.from({ length: 200 }, () => randomizedWait(5));
  assert.ok(waits.every((wait) => wait >= 5000 && wait < 10_000));
  // A tenth that stays empty has probability 0.9^200 = 7e-10.
  assert.ok(Math.min(...waits) < 5500 && Math.max(...waits) > 9500);
  assert.equal(randomizedWait(0), 0);
});

test("a server that asks for time gets it, and the app is told", async (context) => {
  const { server, time, open } = await collector(context, busy("60"));
  const state = new MemoryState();
  const client = open({ state });
  const report = await draw(client);
  const { retryAfter = 0, ...receipt } = await client.submit(report);
  assert.deepEqual(receipt, { status: "queued", survey: "campus", id: report.id, problem: TRY_LATER });
  assert.ok(retryAfter >= 60 && retryAfter <= 120);
  for (const seconds of [0, 59]) {
    time.now = START + seconds * 1000;
    const again = [await client.submit(report), ...(await open({ state }).flush()), await client.receipt("campus")];
    for (const each of again) assert.deepEqual(each, { ...receipt, retryAfter: retryAfter - seconds });
  }
  assert.equal(server.reports().length, 1);
  time.now = START + 120_000;
  assert.deepEqual(await client.flush(), [{ status: "accepted", survey: "campus", id: report.id }]);
  assert.deepEqual(server.reports(), [report.body, report.body]);
});

test("no server can silence a device for more than two hours", async (context) => {
  const date = "Mon, 16 Nov 2026 12:00:00 GMT";
  for (const asked of ["999999999", "9".repeat(5000), "Mon, 16 Nov 2099 12:00:00 GMT"]) {
    const { time, open } = await collector(context, busy(asked, { Date: date }));
    const client = open();
    const { retryAfter = 0 } = await client.submit(await draw(client));
    assert.ok(retryAfter >= 3600 && retryAfter <= 7200);
    time.now += 7_200_000;
    assert.equal((await client.flush())[0].status, "accepted");
  }
});

test("a clock that was turned back by years does not hold a report for years", async (context) => {
  const { time, open } = await collector(context, busy("60"));
  const client = open();
  assert.equal((await client.submit(await draw(client))).status, "queued");
  time.now -= 10 * 365 * 86_400_000;
  assert.equal((await client.flush())[0].status, "accepted");
});

test("a server that asked for time is left alone by the other reports too", async (context) => {
  const { server, time, open } = await collector(context, busy("60"));
  const client = open();
  const [campus, library] = [await draw(client), await draw(client, "library")];
  const { retryAfter } = await client.submit(campus);
  assert.deepEqual(await client.submit(library), { status: "queued", survey: "library", id: library.id, retryAfter });
  assert.deepEqual(
    (await client.flush()).map((receipt) => receipt.retryAfter),
    [retryAfter, retryAfter],
  );
  assert.deepEqual(server.reports(), [campus.body]);
  time.now += 120_000;
  assert.deepEqual(
    (await client.flush({ sendTogether: true })).map(({ status }) => status),
    ["accepted", "accepted"],
  );
});

test("a flush ends with the first report for which the server asks for time", async (context) => {
  const { server, open } = await collector(context, AWAY, AWAY, busy("60"), busy("60"));
  const client = open();
  for (const name of ["campus", "library"]) await client.submit(await draw(client, name));
  const receipts = await client.flush();
  assert.deepEqual(
    receipts.map(({ status, retryAfter = 0 }) => [status, retryAfter >= 60]),
    [
      ["queued", true],
      ["queued", true],
    ],
  );
  assert.equal(server.reports().length, 3);
});

test("of two waits, the longer one counts", async (context) => {
  const { server, time, open } = await collector(context, AWAY, AWAY, { status: 500 }, busy("600"));
  const client = open();
  for (const name of ["campus", "library"]) await client.submit(await draw(client, name));
  const waits = (await client.flush({ sendTogether: true })).map(({ retryAfter = 0 }) => retryAfter);
  assert.ok(waits.every((wait) => wait >= 600));
  time.now += 599_000;
  await client.flush({ sendTogether: true });
  assert.equal(server.reports().length, 4);
});

test("a report that a gateway keeps back does not keep back the others", async (context) => {
  const { open } = await collector(context, AWAY, AWAY, { status: 403, body: "<html>" });
  const client = open();
  for (const name of ["campus", "library"]) await client.submit(await draw(client, name));
  const statuses = (await client.flush({ sendTogether: true })).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), ["accepted", "queued"]);
});

test("nothing waits unless the app asks for it", async (context) => {
  const { time, open } = await collector(context, busy("5"), busy("5"));
  const client = open();
  await client.submit(await draw(client));
  await client.flush();
  assert.deepEqual(time.slept, []);
});

test("waiting outlasts a server that is full again and again", async (context) => {
  const { server, time, open } = await collector(context, ...Array(4).fill(busy("5")));
  const client = open();
  const report = await draw(client);
  assert.equal((await client.submit(report)).status, "queued");
  assert.deepEqual(await client.flush({ waitSeconds: 60 }), [{ status: "accepted", survey: "campus", id: report.id }]);
  assert.deepEqual(server.reports(), Array(5).fill(report.body));
  assert.equal(time.slept.length, 4);
  assert.ok(time.slept.every((pause) => pause >= 5000 && pause < 10_000));
});

test("the pauses together are never longer than the limit", async (context) => {
  const { server, time, open } = await collector(context, ...Array(100).fill(busy("5")));
  const client = open();
  await client.submit(await draw(client));
  assert.equal((await client.flush({ waitSeconds: 4 }))[0].status, "queued");
  assert.deepEqual([time.slept.length, server.reports().length], [0, 1]);
  await client.flush({ waitSeconds: 60 });
  const slept = time.slept.reduce((sum, pause) => sum + pause);
  assert.ok(slept > 50_000 && slept <= 60_000);
});

test("a server that is away is tried less and less often", async (context) => {
  const { server, time, open } = await collector(context, ...Array(6).fill(AWAY));
  const client = open();
  const report = await draw(client);
  assert.deepEqual(await client.submit(report), { status: "queued", survey: "campus", id: report.id });
  assert.equal((await client.flush({ waitSeconds: 100 }))[0].status, "accepted");
  assert.equal(time.slept.length, 5);
  time.slept.forEach((pause, place) => {
    assert.ok(pause >= 1000 * 2 ** place && pause < 2000 * 2 ** place);
  });
  assert.equal(new Set(server.reports()).size, 1);
});

test("what another client sent during a pause is told", async (context) => {
  const { server, time, open } = await collector(context, busy("5"));
  const state = new MemoryState();
  const client = open({
    state,
    sleep: async (ms) => {
      await time.sleep(ms);
      await open({ state }).flush();
    },
  });
  const report = await draw(client);
  await client.submit(report);
  assert.deepEqual(await client.flush({ waitSeconds: 60 }), [{ status: "accepted", survey: "campus", id: report.id }]);
  assert.equal(server.reports().length, 2);
});

const FIVE = ["campus", "library", "canteen", "hostel", "gym"];

/** Let five reports wait. @param {import("node:test").TestContext} context */
async function fiveWaiting(context) {
  const { server, time, open } = await collector(context, ...Array(5).fill(AWAY));
  const state = new MemoryState();
  const client = open({ state });
  for (const name of FIVE) await client.submit(await draw(client, name));
  // Long enough for all to be due.
  time.now += 3_600_000;
  return { server, time, open: () => open({ state }), client, state };
}

test("five reports that wait do not arrive together and tell that they are one device's", async (context) => {
  const { server, time, client, open } = await fiveWaiting(context);
  const before = server.reports().length;
  const receipts = await client.flush();
  assert.equal(server.reports().length, before + 1);
  assert.deepEqual(receipts.map(({ status }) => status).sort(), ["accepted", ...Array(4).fill("queued")]);
  const waits = receipts.flatMap(({ retryAfter = [] }) => retryAfter);
  assert.equal(waits.length, 4);
  assert.ok(waits.every((wait) => wait >= 1 && wait <= 3600));
  // Another client of the same state, later, sends one at a time, too.
  await open().flush();
  assert.equal(server.reports().length, before + 1);
  for (let hours = 1; hours <= 4; hours += 1) {
    time.now += 3_600_000;
    await open().flush();
    assert.equal(server.reports().length, before + 1 + hours);
  }
  assert.deepEqual(await client.flush(), []);
  assert.equal(new Set(server.reports()).size, 5);
});

test("which of the waiting reports goes first is drawn by lot", async (context) => {
  const firsts = new Set();
  for (let round = 0; round < 60; round += 1) {
    const { server, client } = await fiveWaiting(context);
    await client.flush();
    firsts.add(JSON.parse(String(server.reports().at(-1))).survey);
  }
  // One that is never first has probability 5 · 0.8^60 = 8e-6; that two are missing 10 · 0.6^60 = 5e-13.
  assert.ok(firsts.size >= 4);
});

test("with time to wait, each waiting report goes out at a time of its own", async (context) => {
  const { server, time, client } = await fiveWaiting(context);
  const receipts = await client.flush({ waitSeconds: 5 * 3600 });
  assert.deepEqual(new Set(receipts.map(({ status }) => status)), new Set(["accepted"]));
  assert.equal(receipts.length, 5);
  assert.equal(time.slept.length, 4);
  assert.ok(time.slept.reduce((sum, pause) => sum + pause) <= 3_600_000);
  assert.equal(new Set(server.reports()).size, 5);
});

test("an app that says so sends all at once", async (context) => {
  const { client, time } = await fiveWaiting(context);
  const receipts = await client.flush({ sendTogether: true });
  assert.deepEqual(
    receipts.map(({ status }) => status),
    Array(5).fill("accepted"),
  );
  assert.deepEqual(time.slept, []);
});

test("one report that waits is sent at once", async (context) => {
  const { open } = await collector(context, AWAY);
  const client = open();
  await client.submit(await draw(client));
  assert.equal((await client.flush())[0].status, "accepted");
});

test("a report that is submitted does not take waiting ones along", async (context) => {
  const { server, open } = await collector(context, AWAY);
  const client = open();
  await client.submit(await draw(client));
  await client.submit(await draw(client, "library"));
  const [waiting] = await client.flush();
  assert.equal(server.reports().length, 2);
  assert.ok(waiting.retryAfter && waiting.retryAfter <= 3600);
});

test("a clock that was turned back does not hold a spread report for years", async (context) => {
  const { server, time, client } = await fiveWaiting(context);
  await client.flush();
  const before = server.reports().length;
  time.now -= 10 * 365 * 86_400_000;
  await client.flush();
  assert.equal(server.reports().length, before + 1);
});

test("every call has a connection of its own", async (context) => {
  const { server, client } = await fiveWaiting(context);
  await client.flush({ sendTogether: true });
  assert.ok(server.requests.every(({ headers }) => headers.connection === "close"));
});
