import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, link, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { StateFailed } from "../src/errors.js";
import { FileState } from "../src/node.js";
import { MemoryState } from "../src/state.js";
import { folder, KEY, PACKAGE } from "./support.js";

/** @param {Partial<import("../src/types.js").Entry>} changes @returns {import("../src/types.js").Entry} */
function entryOf(changes = {}) {
  const report = { key: KEY, survey: "campus", manifest: "m", epsilon: "1", id: "r", body: "{}" };
  return { ...report, status: "queued", problem: null, notBefore: 0, ...changes };
}

/** @type {Record<string, (test: import("node:test").TestContext) => Promise<import("../src/types.js").State>>} */
const STATES = {
  MemoryState: async () => new MemoryState(),
  FileState: async (context) => new FileState(join(await folder(context), "state.json")),
};

for (const [name, make] of Object.entries(STATES)) {
  test(`${name} starts empty and keeps what it is given`, async (context) => {
    const state = await make(context);
    assert.deepEqual(await state.read(), []);
    const kept = await state.update((entries) => {
      assert.deepEqual(entries, []);
      return entryOf();
    });
    assert.deepEqual(kept, entryOf());
    assert.deepEqual(await state.read(), [entryOf()]);
  });

  test(`${name} has one entry for each survey of each publisher`, async (context) => {
    const state = await make(context);
    for (const change of [
      {},
      { survey: "other" },
      { key: "ed25519:other" },
      { status: /** @type {const} */ ("accepted") },
    ]) {
      await state.update(() => entryOf(change));
    }
    const entries = await state.read();
    assert.equal(entries.length, 3);
    assert.deepEqual(entries.find(({ key, survey }) => key === KEY && survey === "campus")?.status, "accepted");
  });

  test(`${name} keeps nothing when the change refuses`, async (context) => {
    const state = await make(context);
    await state.update(() => entryOf());
    const refusal = new Error("no");
    await assert.rejects(
      state.update(() => {
        throw refusal;
      }),
      refusal,
    );
    assert.deepEqual(await state.read(), [entryOf()]);
    assert.ok(await state.update(() => entryOf({ survey: "next" })));
  });

  test(`${name} reads and writes in one step, however many do it at once`, async (context) => {
    const state = await make(context);
    await Promise.all(
      Array.from({ length: 20 }, () =>
        state.update((entries) => entryOf({ notBefore: (entries[0]?.notBefore ?? 0) + 1 })),
      ),
    );
    assert.equal((await state.read())[0].notBefore, 20);
  });
}

test("a file outlives the object, is the owner's alone, and leaves nothing else behind", async (context) => {
  const path = await folder(context);
  await new FileState(join(path, "state.json")).update(() => entryOf());
  assert.deepEqual(await new FileState(join(path, "state.json")).read(), [entryOf()]);
  assert.equal((await stat(join(path, "state.json"))).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(path), ["state.json"]);
});

test("a damaged or foreign file is an error and stays as it is", async (context) => {
  const path = join(await folder(context), "state.json");
  for (const text of ["", "{", "[]", "null", '{"format":"hushpoll-state-9","entries":[]}']) {
    await writeFile(path, text);
    await assert.rejects(
      new FileState(path).update(() => entryOf()),
      StateFailed,
    );
    await assert.rejects(new FileState(path).read(), /restore the file/);
    assert.equal(await readFile(path, "utf8"), text);
  }
});

test("a folder that is missing is an error that names the cure", async (context) => {
  const state = new FileState(join(await folder(context), "missing", "state.json"));
  await assert.rejects(
    state.update(() => entryOf()),
    (error) => error instanceof StateFailed && /check the path/.test(error.message),
  );
});

test("a draft left by a crash does not count", async (context) => {
  const path = join(await folder(context), "state.json");
  await new FileState(path).update(() => entryOf());
  await writeFile(`${path}.new`, '{"format":"hushpoll-st');
  assert.deepEqual(await new FileState(path).read(), [entryOf()]);
  await new FileState(path).update(() => entryOf({ status: "accepted" }));
  assert.equal((await new FileState(path).read())[0].status, "accepted");
});

test("the lock of a process that was killed is removed, that of a running one is not", async (context) => {
  const path = join(await folder(context), "state.json");
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await once(child, "spawn");
  await writeFile(`${path}.lock`, JSON.stringify({ host: hostname(), pid: child.pid, started: 0 }));
  const update = new FileState(path).update(() => entryOf());
  const first = await Promise.race([update, new Promise((resolve) => setTimeout(resolve, 200, "waiting"))]);
  assert.equal(first, "waiting");
  child.kill("SIGKILL");
  assert.deepEqual(await update, entryOf());
});

test("the lock of a process on another machine is left alone", async (context) => {
  const path = join(await folder(context), "state.json");
  await writeFile(`${path}.lock`, JSON.stringify({ host: `not-${hostname()}`, pid: 2 ** 30, started: 0 }));
  const update = new FileState(path).update(() => entryOf());
  const first = await Promise.race([update, new Promise((resolve) => setTimeout(resolve, 200, "waiting"))]);
  assert.equal(first, "waiting");
  await rm(`${path}.lock`);
  assert.deepEqual(await update, entryOf());
});

test("the lock of an earlier process with the same number is removed", async (context) => {
  const path = join(await folder(context), "state.json");
  await writeFile(`${path}.lock`, JSON.stringify({ host: hostname(), pid: process.pid, started: 0 }));
  assert.deepEqual(await new FileState(path).update(() => entryOf()), entryOf());
});

test("processes that share a file do not overwrite each other", async (context) => {
  const path = join(await folder(context), "state.json");
  const program = `
    import { FileState } from ${JSON.stringify(`${PACKAGE}src/node.js`)};
    const state = new FileState(${JSON.stringify(path)});
    for (let i = 0; i < 10; i += 1) {
      await state.update(([entry]) => ({ ...entry, notBefore: entry.notBefore + 1 }));
    }`;
  await new FileState(path).update(() => entryOf());
  const children = Array.from({ length: 3 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "inherit" }),
  );
  for (const child of children) if (child.exitCode === null) await once(child, "exit");
  assert.equal((await new FileState(path).read())[0].notBefore, 30);
});

test("nothing is written through a link that somebody planted at the name of the draft", async (context) => {
  const place = await folder(context);
  const [path, victim] = [join(place, "state.json"), join(place, "victim")];
  await writeFile(victim, "precious");
  await symlink(victim, `${path}.new`);
  await new FileState(path).update(() => entryOf());
  assert.equal(await readFile(victim, "utf8"), "precious");
  assert.deepEqual(await readdir(place), ["state.json", "victim"]);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

for (const [kind, plant] of Object.entries({ symbolic: symlink, hard: link })) {
  test(`a state is not read through a ${kind} link to a file of somebody's choice`, async (context) => {
    const place = await folder(context);
    const [path, planted] = [join(place, "state.json"), join(place, "planted")];
    await writeFile(planted, JSON.stringify({ format: "hushpoll-state-1", entries: [] }));
    await plant(planted, path);
    await assert.rejects(new FileState(path).read(), StateFailed);
    await assert.rejects(
      new FileState(path).update(() => entryOf()),
      /is a link or not a plain file/,
    );
  });
}

test("a state that others could read is closed to them when it is first read", async (context) => {
  const path = join(await folder(context), "state.json");
  await new FileState(path).update(() => entryOf());
  await chmod(path, 0o644);
  assert.deepEqual(await new FileState(path).read(), [entryOf()]);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});
