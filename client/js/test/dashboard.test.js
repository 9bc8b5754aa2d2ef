import assert from "node:assert/strict";
import { test } from "node:test";
import { EVERY, Live, LONGEST, quietly } from "../dashboard/live.js";
import { choose } from "../dashboard/slider.js";

/** @import { Answer } from "../dashboard/live.js" */

const MINUTE = 60_000;
const PAGE = /** @type {Document} */ ({});
const GOOD = { status: 304, page: null, retryAfter: 0 };
const NEWS = { status: 200, page: PAGE, retryAfter: 0 };
const DOWN = { status: 0, page: null, retryAfter: 0 };

/** A clock that a test turns forward: timers go off in their order, and what they began has settled before the next. */
function makeClock() {
  /** @type {Set<{ due: number, work: () => void }>} */
  const timers = new Set();
  const clock = {
    time: 0,
    now: () => clock.time,
    /** @param {() => void} work @param {number} milliseconds */
    later(work, milliseconds) {
      const timer = { due: clock.time + milliseconds, work };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    /** @param {number} milliseconds */
    async turn(milliseconds) {
      const end = clock.time + milliseconds;
      for (;;) {
        const [next] = [...timers].sort((a, b) => a.due - b.due);
        if (!next || next.due > end) break;
        timers.delete(next);
        clock.time = next.due;
        next.work();
        await new Promise(setImmediate);
      }
      clock.time = end;
      await new Promise(setImmediate);
    },
    timers,
  };
  return clock;
}

/** A live page, and a record of what it did. @param {(afresh: boolean) => Answer | Promise<Answer>} [answer] */
function open(answer = () => GOOD, { isLive = true } = {}) {
  const clock = makeClock();
  const seen = { asked: /** @type {number[]} */ ([]), shown: 0, told: /** @type {string[]} */ ([]) };
  const world = {
    clock,
    /** @param {boolean} afresh */
    ask: async (afresh) => {
      seen.asked.push(clock.time);
      return answer(afresh);
    },
    show: () => {
      seen.shown += 1;
      return world.staysLive;
    },
    /** @param {string} state */
    tell: (state) => void seen.told.push(state),
    isVisible: () => world.isSeen,
    isSeen: true,
    staysLive: true,
  };
  return { clock, seen, world, live: new Live(world, isLive) };
}

test("a page that is seen asks every fifteen seconds and shows only news", async () => {
  const answers = [GOOD, GOOD, NEWS];
  const { clock, seen } = open(() => answers.shift() ?? GOOD);
  await clock.turn(MINUTE);
  assert.deepEqual(seen, { asked: [1, 2, 3, 4].map((n) => n * EVERY), shown: 1, told: [] });
});

test("a page that nobody sees asks nothing, and asks at once when it is seen again", async () => {
  const { clock, live, seen, world } = open();
  world.isSeen = false;
  live.look();
  await clock.turn(60 * MINUTE);
  assert.deepEqual(seen.asked, []);
  world.isSeen = true;
  live.look();
  await clock.turn(1);
  assert.deepEqual(seen.asked, [60 * MINUTE]);
  // Looking at it again and again does not ask more often.
  for (let looks = 0; looks < 10; looks += 1) live.look();
  await clock.turn(EVERY - 2);
  assert.equal(seen.asked.length, 1);
});

test("while the server fails the page asks ever more rarely, up to five minutes, and then as before", async () => {
  const { clock, seen } = open(() => (seen.asked.length > 7 ? GOOD : DOWN));
  await clock.turn(30 * MINUTE);
  const gaps = seen.asked.map((time, index) => time - (seen.asked[index - 1] ?? 0));
  assert.deepEqual(gaps.slice(0, 10), [EVERY, 30e3, 60e3, 120e3, 240e3, LONGEST, LONGEST, LONGEST, EVERY, EVERY]);
  assert.deepEqual(seen.told, ["unreachable", "live"]);
});

test("the time that the server names is waited for, but for a day at most", async () => {
  const { clock, seen } = open(() => ({ status: 503, page: null, retryAfter: seen.asked.length > 1 ? 1e12 : 600 }));
  await clock.turn(EVERY + 600_000);
  assert.deepEqual(seen.asked, [EVERY, EVERY + 600_000]);
  await clock.turn(86_400_000);
  assert.equal(seen.asked.length, 3);
});

test("after the end of the session nothing is asked", async () => {
  const { clock, live, seen } = open(() => ({ status: 401, page: PAGE, retryAfter: 0 }));
  await clock.turn(60 * MINUTE);
  live.look();
  await clock.turn(60 * MINUTE);
  assert.deepEqual(seen, { asked: [EVERY], shown: 0, told: ["signed out"] });
});

test("the last figures of a survey are shown, and nothing is asked after them", async () => {
  const { clock, seen, world } = open(() => NEWS);
  world.staysLive = false;
  await clock.turn(60 * MINUTE);
  assert.deepEqual(seen, { asked: [EVERY], shown: 1, told: ["over"] });
});

test("a page that is paused asks nothing and shows nothing that was on its way", async () => {
  const { promise, resolve } = withResolvers();
  const { clock, live, seen } = open(() => promise);
  await clock.turn(EVERY);
  live.toggle();
  resolve(NEWS);
  await clock.turn(60 * MINUTE);
  assert.deepEqual(seen, { asked: [EVERY], shown: 0, told: ["paused"] });
  live.toggle();
  await clock.turn(1);
  assert.equal(seen.asked.length, 2);
  assert.deepEqual(seen.told, ["paused", "live"]);
});

test("what is chosen is shown on every page, also on one that is paused or over", async () => {
  for (const isLive of [true, false]) {
    const { clock, live, seen, world } = open((afresh) => (afresh ? NEWS : GOOD), { isLive });
    world.staysLive = isLive;
    if (isLive) live.toggle();
    await live.ask(true);
    await clock.turn(60 * MINUTE);
    assert.deepEqual([seen.asked, seen.shown], [[0], 1]);
  }
});

test("of two questions the later one counts", async () => {
  const first = withResolvers();
  const { clock, live, seen } = open((afresh) => (afresh ? GOOD : first.promise));
  await clock.turn(EVERY);
  await live.ask(true);
  first.resolve(NEWS);
  await clock.turn(1);
  assert.equal(seen.shown, 0);
  await clock.turn(EVERY);
  assert.equal(seen.asked.length, 3);
});

test("an hour leaves one timer behind", async () => {
  const { clock } = open(() => NEWS);
  await clock.turn(60 * MINUTE);
  assert.equal(clock.timers.size, 1);
});

test("at most one thing a minute is said, and of several the last", async () => {
  const clock = makeClock();
  /** @type {[number, string][]} */
  const said = [];
  const say = quietly((text) => said.push([clock.time, text]), clock);
  for (let second = 0; second < 150; second += 10) {
    say(`${second}`);
    await clock.turn(10_000);
  }
  await clock.turn(10 * MINUTE);
  assert.deepEqual(
    said,
    [
      [0, "0"],
      [60_000, "50"],
      [120_000, "110"],
      [180_000, "140"],
    ].map(([time, text]) => [time, text]),
  );
});

test("a choice is in the address beside all others, and no choice is not", () => {
  const address = "https://polls.example.org/surveys/campus?level=0.9&group=arts&group=young&beta=0.05";
  const rest = "https://polls.example.org/surveys/campus?level=0.9&group=arts&group=young";
  assert.equal(choose(address, { name: "made_up", value: "7.5" }), `${rest}&made_up=7.5`);
  assert.equal(choose(address, { name: "made_up", value: "" }), rest);
  assert.equal(choose(rest, { name: "coverage", value: "simultaneous" }), `${rest}&coverage=simultaneous`);
});

function withResolvers() {
  /** @type {(answer: Answer) => void} */
  let resolve = () => {};
  /** @type {Promise<Answer>} */
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
