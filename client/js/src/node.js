/**
 * A state in one file, for Node: `import { FileState } from "hushpoll/node"`.
 *
 * The rules here: the file is replaced as a whole and is on the disk before a change counts as made; two processes
 * never change it at once; a file that cannot be read is an error, never a fresh start that would draw again; nothing
 * is read or written through a planted link.
 */

import { constants } from "node:fs";
import { link, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { threadId } from "node:worker_threads";
import { HushpollError, StateFailed } from "./errors.js";
import { replace } from "./state.js";

/** @import { Entry, State } from "./types.js" */

const STATE_FORMAT = "hushpoll-state-1";
// In ms: how long to wait for a lock, and how often to check it.
const LOCK_DEADLINE = 10_000;
const LOCK_PAUSE = 10;
// When this process started, by a clock that cannot be set: it tells a process from an earlier one with the same
// number, and all threads of a process agree on it.
const STARTED = Number(process.hrtime.bigint()) / 1e9 - process.uptime();

let attempts = 0;

/**
 * A state that processes on one machine may share.
 * @implements {State}
 */
export class FileState {
  #path;

  /** @param {string} path of the file; it is made when first needed, readable by its owner only */
  constructor(path) {
    this.#path = resolve(path);
  }

  /** Return all entries. @returns {Promise<readonly Entry[]>} */
  async read() {
    return withStateErrors(this.#path, () => readEntries(this.#path));
  }

  /**
   * Store the entry that `change` makes from all entries.
   * @param {(entries: readonly Entry[]) => Entry} change
   * @returns {Promise<Entry>}
   */
  async update(change) {
    return withStateErrors(this.#path, () =>
      withLock(`${this.#path}.lock`, async () => {
        const entries = await readEntries(this.#path);
        const entry = change(entries);
        if (!entries.includes(entry)) await writeEntries(this.#path, replace(entries, entry));
        return entry;
      }),
    );
  }
}

/** @template T @param {string} path @param {() => Promise<T>} work @returns {Promise<T>} */
async function withStateErrors(path, work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HushpollError || !(error instanceof Error) || !("code" in error)) throw error;
    const message = `the state ${path} cannot be used (${error.code}): check the path, its rights and the disk`;
    throw new StateFailed(message, { cause: error });
  }
}

/** @param {string} path @returns {Promise<readonly Entry[]>} */
async function readEntries(path) {
  const text = await readOwn(path).catch(ifMissing(null));
  if (text === null) return [];
  try {
    const { format, entries } = JSON.parse(text);
    if (format === STATE_FORMAT && Array.isArray(entries)) return entries;
  } catch {
    // The message below says it without repeating the file.
  }
  throw new StateFailed(`the state ${path} is damaged or of a newer version: update Hushpoll, or restore the file`);
}

/**
 * Read a plain file of this user, and make it private if others could read it.
 * @param {string} path
 */
async function readOwn(path) {
  // Windows has neither this flag nor such owners and modes.
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(refuseLink(path));
  try {
    const about = await file.stat();
    if (!about.isFile() || about.nlink > 1) throw plantedAt(path);
    if (![0, about.uid].includes(process.geteuid?.() ?? 0)) {
      throw new StateFailed(`the state ${path} belongs to another user: choose another path`);
    }
    if (about.mode & 0o077 && process.platform !== "win32") await file.chmod(0o600);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** @param {string} path @returns {(error: unknown) => never} */
function refuseLink(path) {
  return (error) => {
    throw codeOf(error) === "ELOOP" ? plantedAt(path) : error;
  };
}

/** @param {string} path */
function plantedAt(path) {
  return new StateFailed(`the state ${path} is a link or not a plain file: name the file itself, or remove it`);
}

/** @param {string} path @param {readonly Entry[]} entries */
async function writeEntries(path, entries) {
  const draft = `${path}.new`;
  // It was left by a process that was killed, or is a planted link; only the holder of the lock gets here.
  await rm(draft, { force: true });
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ format: STATE_FORMAT, entries })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await syncFolder(dirname(path));
}

/** @param {string} path */
async function syncFolder(path) {
  // Windows cannot open a folder; its file system stores the new name by itself.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

/** @template T @param {string} path @param {() => Promise<T>} work @returns {Promise<T>} */
async function withLock(path, work) {
  await lock(path);
  try {
    return await work();
  } finally {
    await rm(path);
  }
}

/** @param {string} path */
async function lock(path) {
  const deadline = performance.now() + LOCK_DEADLINE;
  while (!(await tryLock(path))) {
    if (performance.now() > deadline) {
      throw new StateFailed(`another process holds ${path}: end it, or delete that file if there is none`);
    }
    await breakStaleLock(path);
    await sleep(LOCK_PAUSE);
  }
}

/** @param {string} path */
async function tryLock(path) {
  attempts += 1;
  const draft = `${path}.${process.pid}.${STARTED}.${threadId}.${attempts}`;
  await writeFile(draft, JSON.stringify({ host: hostname(), pid: process.pid, started: STARTED }), {
    mode: 0o600,
    flag: "wx",
  });
  try {
    // A link appears with its content or not at all.
    await link(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return false;
  } finally {
    await rm(draft);
  }
}

/**
 * Remove the lock of a process that ended without removing it.
 *
 * Only the holder of the second lock may do so, after checking again: otherwise it could remove the lock of a process
 * that has just removed the same stale one.
 * @param {string} path
 */
async function breakStaleLock(path) {
  if (!(await isStale(path)) || !(await tryLock(`${path}.break`))) return;
  try {
    if (await isStale(path)) await rm(path);
  } finally {
    await rm(`${path}.break`);
  }
}

/** @param {string} path */
async function isStale(path) {
  const text = await readFile(path, "utf8").catch(ifMissing(null));
  if (text === null) return false;
  const { host, pid, started } = JSON.parse(text);
  if (host !== hostname()) return false;
  return pid === process.pid ? Math.abs(started - STARTED) > 0.05 : !isRunning(pid);
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

/** @template T @param {T} value @returns {(error: unknown) => T} */
function ifMissing(value) {
  return (error) => {
    if (codeOf(error) !== "ENOENT") throw error;
    return value;
  };
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
