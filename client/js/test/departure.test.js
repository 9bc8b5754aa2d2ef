/**
 * When a report leaves the page: what hushpoll_shared/departure.py of the server says too
 * (tests/shared/test_departure.py).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { minutesBetween, nextDeparture } from "../form/departure.js";
import { Categories, Ticks } from "../src/mechanisms/domains.js";
import { openQueue } from "../src/queue.js";
import { MemoryState } from "../src/state.js";

/** @param {string} id @param {[string, unknown[]] | null} [when] @returns {any} */
function item(id, when = null, domain = new Categories(4)) {
  return { id, when, domain };
}

test("the longest path counts what one person can be asked", () => {
  const [gate, ticks] = [item("gate"), item("gate", null, /** @type {any} */ (new Ticks(2)))];
  const on = (/** @type {string} */ id, /** @type {unknown[]} */ ...answers) => item(id, ["gate", answers]);
  for (const [items, screens] of /** @type {const} */ ([
    [[gate, on("x", true)], 2],
    [[gate, on("x", true), on("y", true)], 3],
    [[gate, on("x", true), on("y", false), on("z", false)], 3],
    [[gate, on("x", true), on("y", true, false)], 3],
    [[gate, on("x", true), item("y", ["x", [true]]), item("z", ["x", [false, "does_not_apply"]])], 3],
    [[ticks, on("x", "a"), on("y", "b")], 3],
    [[item("one"), item("two"), item("x", ["two", [true]])], 3],
  ])) {
    assert.equal(minutesBetween(items), 1 + screens / 4);
  }
  assert.equal(minutesBetween([gate]), 0);
  assert.equal(minutesBetween([gate, ...Array.from({ length: 180 }, (_, i) => on(`x${i}`, true))]), 40);
});

test("a report leaves at a point of the grid, one in eight at a later one", () => {
  assert.equal(nextDeparture(0), 0);
  const points = new Map();
  const number = 40_000;
  for (let i = 0; i < number; i += 1) {
    const point = (nextDeparture(2.5, 150_001) - performance.timeOrigin) / 150_000;
    points.set(Math.round(point), (points.get(Math.round(point)) ?? 0) + 1);
    assert.ok(Math.abs(point - Math.round(point)) < 1e-6);
  }
  assert.deepEqual([...points.keys()].sort(), [2, 3, 4]);
  // Six standard errors: by chance once in 10^8.
  const within = (/** @type {number} */ point, /** @type {number} */ share) =>
    Math.abs(points.get(point) - share * number) < 6 * Math.sqrt(number * share * (1 - share));
  assert.ok(within(2, 224 / 256) && within(3, 28 / 256) && within(4, 4 / 256), String([...points]));
});

test("the queue sends a held report at its time and not before, whoever asks and however often", async () => {
  let [now, calls] = [1000, 0];
  const fetch = async () => {
    calls += 1;
    return Response.json({ status: "accepted" }, { status: 201 });
  };
  const state = new MemoryState();
  const open = () => openQueue({ url: "https://polls.example.org", fetch }, "key", state, () => now);
  const report = /** @type {any} */ ({
    survey: "s",
    manifest: "m",
    id: "1",
    body: "{}",
    charge: () => ({ epsilon: "1" }),
  });
  const { status, retryAfter } = await open().submit(report, 151_000);
  assert.deepEqual([status, retryAfter], ["held", 150]);
  for (now = 1000; now < 151_000; now += 10_000) {
    const [entry] = await state.read();
    assert.equal((await open().send(entry)).status, "held");
  }
  assert.equal(calls, 0);
  now = 151_000;
  const [entry] = await state.read();
  assert.equal((await open().send(entry)).status, "accepted");
  assert.equal(calls, 1);
  assert.equal((await state.read())[0].notBefore, 0);
});
