#!/usr/bin/env node
/**
 * Randomize answers line by line: the same lines as `hushpoll randomize`, for gateways, simulations and audits.
 *
 * The rules here: a message names the line and the question, never the answer; memory does not grow with the input;
 * what was written before a bad line stays valid; every complete line gets its report before more input is awaited.
 */
import { isUtf8 } from "node:buffer";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { HushpollError, InvalidValue } from "../src/errors.js";
import { derive } from "../src/permanent.js";
import { SecureBytes } from "../src/randomness.js";
import { randomizeStrictly } from "../src/strict/randomize.js";
import { checkKey, parse } from "../src/strict/values.js";
import { verifyStrictly } from "../src/strict/verify.js";

/** @import { ByteSource, Recall, ToldManifest } from "../src/types.js" */

const HELP = `Usage: randomize.mjs --manifest M.json [--key ed25519:…] [--group LABEL] < answers.ndjson > reports.ndjson

Randomize answers: one JSON object a line in (question id → answer), one report a line out.

Options:
  --manifest FILE   the signed manifest of the survey
  --key KEY         the publisher's public key; without it, the key that the manifest names itself is used
  --group LABEL     the public label of all these respondents; several with commas, or the option again
  --help            show this text

Blank lines are skipped. It stops at the first bad line with exit code 1; the reports before it are valid.
Every run is a new draw: randomize the answers of a respondent once, and send what came out.
Every line is another respondent, also in a survey with repeated waves: nothing is remembered from line to line.
`;
const NEWLINE = 10;
const SPACE = 32;
const LONGEST_LINE = 64 * 1024;

/**
 * Secure bytes a page at a time, for many respondents. Each byte is handed out once.
 * @implements {ByteSource}
 */
class PagedBytes {
  #secure = new SecureBytes();
  /** @type {Uint8Array} */
  #page = new Uint8Array(0);

  /** @param {number} count */
  take(count) {
    if (this.#page.length < count) this.#page = this.#secure.take(Math.max(4096, count));
    const bytes = this.#page.slice(0, count);
    this.#page.fill(0, 0, count);
    this.#page = this.#page.subarray(count);
    return bytes;
  }
}

/** Wrong usage: exit code 2. */
class WrongCall extends Error {}

/** Return the options of the call. */
function readOptions() {
  try {
    return parseArgs({
      options: {
        manifest: { type: "string" },
        key: { type: "string" },
        group: { type: "string", multiple: true },
        help: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    throw new WrongCall(error instanceof Error ? error.message.split(". ")[0] : "unknown option");
  }
}

/** @param {string} path @param {string | undefined} key */
async function readManifest(path, key) {
  const envelope = await readFile(path).catch((error) => {
    throw new InvalidValue(`the manifest cannot be read (${error.code}): check the path ${path}`);
  });
  return verifyStrictly(envelope, key === undefined ? null : checkKey(key));
}

/**
 * Yield the complete lines of a stream, as many at a time as have arrived.
 * @param {AsyncIterable<Buffer>} stream
 */
async function* readLines(stream) {
  /** @type {Buffer} */
  let rest = Buffer.alloc(0);
  for await (const chunk of stream) {
    const block = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const lines = [];
    let start = 0;
    for (let end = block.indexOf(NEWLINE); end >= 0; end = block.indexOf(NEWLINE, start)) {
      lines.push(block.subarray(start, end));
      start = end + 1;
    }
    rest = block.subarray(start);
    yield lines;
    // A line that never ends must not fill the memory: it is refused like any other that is too long.
    if (rest.length > LONGEST_LINE) break;
  }
  yield [rest];
}

/** @param {Buffer} line @returns {unknown} */
function readLine(line) {
  if (line.length > LONGEST_LINE) throw new InvalidValue("it is too long for one respondent: write one object a line");
  if (!isUtf8(line)) throw new InvalidValue("it is not UTF-8");
  return parse(line.toString());
}

/** @param {Buffer} line */
function isBlank(line) {
  return line.length === 0 || (line[0] <= SPACE && /^[\t-\r ]*$/.test(line.toString("latin1")));
}

/** @param {string} text */
async function write(text) {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

/**
 * Derive the memory of a respondent who is seen once: every line is another respondent, with a secret of its own.
 * @param {ToldManifest} manifest @param {ByteSource} source
 * @returns {Promise<Recall>}
 */
async function recallFor(manifest, source) {
  const secret = source.take(32);
  const memory = await derive(manifest, (text) => createHmac("sha256", secret).update(text).digest());
  return () => memory;
}

/** @param {ToldManifest} manifest @param {readonly string[]} groups */
async function randomizeLines(manifest, groups) {
  const source = new PagedBytes();
  let number = 0;
  for await (const lines of readLines(process.stdin)) {
    let reports = "";
    try {
      for (const line of lines) {
        number += 1;
        if (isBlank(line)) continue;
        const answers = readLine(line);
        const recall = manifest.panel === null ? undefined : await recallFor(manifest, source);
        reports += `${randomizeStrictly(manifest, answers, source, recall, groups).body}\n`;
      }
    } catch (error) {
      if (error instanceof HushpollError) error.message = `line ${number}: ${error.message}`;
      throw error;
    } finally {
      await write(reports);
    }
  }
}

async function main() {
  const { manifest: path, key, group, help } = readOptions();
  if (help) return write(HELP);
  if (path === undefined) throw new WrongCall("--manifest is missing: give the file of the signed manifest");
  const manifest = await readManifest(path, key);
  if (process.stdin.isTTY) process.stderr.write('Type answers such as {"id": true}, one object a line.\n');
  const labels = (group ?? []).flatMap((text) => text.split(","));
  return randomizeLines(
    manifest,
    labels.map((label) => label.trim()),
  );
}

/** @param {unknown} error */
function fail(error) {
  if (!(error instanceof HushpollError || error instanceof WrongCall)) throw error;
  process.stderr.write(`Error: ${error.message}\n`);
  process.exitCode = error instanceof WrongCall ? 2 : 1;
}

// The reader went away (as `head` does), so there is nothing left to do.
process.stdout.on("error", () => process.exit(1));
await main().catch(fail);
// Do not wait for the input after a bad line.
process.stdin.destroy();
