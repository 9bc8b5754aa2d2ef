/**
 * The package as its users get it: packed, installed into an empty project without a registry, run and type-checked.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import * as hushpoll from "../src/index.js";
import { FixedTestStream, PACKAGE, vectors } from "./support.js";

const run = promisify(execFile);
const NPM = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier"];
const TSC = join(PACKAGE, "node_modules", ".bin", "tsc");
const STRICT = [
  "--noEmit",
  "--strict",
  "--exactOptionalPropertyTypes",
  "--skipLibCheck",
  "false",
  "--target",
  "es2022",
];

const { key, surveys } = await vectors("reports");

let home = "";
let tarball = "";
/** The names of the files in the package. @type {string[]} */
let packed = [];

before(async () => {
  home = await mkdtemp(join(tmpdir(), "hushpoll-"));
  await copyRepository();
  const source = join(home, "client", "js");
  const { stdout } = await npm(source, "pack", "--json", "--silent", "--pack-destination", home);
  const [{ filename, files }] = Object.values(JSON.parse(stdout));
  tarball = join(home, filename);
  packed = files.map((/** @type {{ path: string }} */ { path }) => path).sort();
  await mkdir(join(home, "app"));
  await writeFile(join(home, "app", "package.json"), '{ "private": true, "type": "module" }');
  await npm(join(home, "app"), "install", tarball);
});

after(() => rm(home, { recursive: true }));

/** Packing writes into the folder of the package, so it is done in a copy. */
async function copyRepository() {
  const isOurs = (/** @type {string} */ path) => !/js.(?:node_modules|types|test)$/.test(path);
  await cp(PACKAGE, join(home, "client", "js"), { recursive: true, filter: isOurs });
  await cp(join(PACKAGE, "..", "..", "LICENSE"), join(home, "LICENSE"));
  await symlink(join(PACKAGE, "node_modules"), join(home, "client", "js", "node_modules"), "dir");
}

/** Run npm with a cache and settings of its own. @param {string} cwd @param {string[]} parameters */
function npm(cwd, ...parameters) {
  const settings = { npm_config_cache: join(home, "cache"), npm_config_userconfig: join(home, "npmrc") };
  return run("npm", [...parameters, ...NPM], { cwd, env: { ...process.env, ...settings } });
}

/** Write a program into the app. @param {string} name @param {string} program */
async function write(name, program) {
  const path = join(home, "app", name);
  await writeFile(path, program);
  return path;
}

/** Return what tsc complains about. @param {string[]} parameters */
async function complaints(...parameters) {
  try {
    await run(TSC, [...STRICT, ...parameters], { cwd: join(home, "app") });
    return "";
  } catch (error) {
    return String(Object(error).stdout);
  }
}

test("the package holds the sources with a declaration of each, and nothing else", async () => {
  const names = await readdir(join(PACKAGE, "src"), { recursive: true });
  const modules = [...names.filter((name) => name.endsWith(".js")).map((name) => `src/${name}`)];
  const published = [...modules, "embed/hushpoll-survey.js"];
  const declarations = [...published.map((path) => path.replace(/js$/, "d.ts")), "src/types.d.ts"];
  const rest = ["LICENSE", "README.md", "bin/randomize.mjs", "package.json"];
  const expected = [...rest, ...published, ...declarations.map((path) => `types/${path}`)];
  assert.deepEqual(packed, expected.sort());
});

test("it installs without a registry, depends on nothing and brings the program along", async () => {
  assert.deepEqual((await readdir(join(home, "app", "node_modules"))).filter(isVisible), ["hushpoll"]);
  const { dependencies, exports } = JSON.parse(
    await readFile(join(home, "app/node_modules/hushpoll/package.json"), "utf8"),
  );
  assert.deepEqual([dependencies, Object.keys(exports)], [undefined, [".", "./node", "./embed"]]);
  const program = join(home, "app", "node_modules", ".bin", "hushpoll-randomize");
  await assert.rejects(run(program, []), /--manifest/);
});

/** @param {string} name */
function isVisible(name) {
  return !name.startsWith(".");
}

test("a rehearsal of publishing passes", async () => {
  const { stdout } = await npm(home, "publish", tarball, "--dry-run", "--silent", "--json");
  assert.match(stdout, /"name": "hushpoll"/);
});

test("the installed package draws the reports of the vectors", async () => {
  const [{ envelope, reports }] = surveys;
  const [{ answers, seed, body, bytes }] = reports;
  const stream = Buffer.from(new FixedTestStream(seed).take(bytes)).toString("base64");
  const path = await write(
    "app.mjs",
    `import { Client, randomize, verify } from "hushpoll";
    import { FileState } from "hushpoll/node";
    import "hushpoll/embed"; // loads also where there are no elements
    const { envelope, key, answers, stream } = ${JSON.stringify({ envelope, key, answers, stream })};
    let bytes = Uint8Array.from(Buffer.from(stream, "base64"));
    const source = { take: (count) => { const taken = bytes.slice(0, count); bytes = bytes.slice(count); return taken; } };
    const { body } = randomize(await verify(envelope, key), answers, source);
    const client = new Client("https://polls.example.org", { key, state: new FileState("state.json") });
    console.log(JSON.stringify([body, await client.spent(), bytes.length]));`,
  );
  const { stdout } = await run(process.execPath, [path], { cwd: join(home, "app") });
  assert.deepEqual(JSON.parse(stdout), [body, "0", 0]);
});

const RIGHT = `
import { type Answers, Client, HushpollError, type Receipt, type State, randomize, verify } from "hushpoll";

export async function ask(state: State, envelope: string): Promise<Receipt | null> {
  const client = new Client("https://polls.example.org", { key: "ed25519:…", maxEpsilon: 4, state, timeout: 5000 });
  try {
    const survey = await client.survey("campus");
    const answers: Record<string, boolean | string> = {};
    for (const question of survey.manifest.questions) {
      const parts: readonly { id: string; text: string }[] = question.parts ?? [question];
      for (const { id } of parts) answers[id] = question.options?.[0]?.id ?? true;
    }
    const report = survey.randomize(answers);
    const { status, retryAfter = 0 }: Receipt = await client.submit(report);
    const wait: number = retryAfter;
    const spent: string = await client.spent();
    const receipts: Receipt[] = await client.flush();
    if (status === "queued") return client.receipt(\`\${report.survey}\${wait}\${spent}\${receipts.length}\`);
  } catch (error) {
    if (!(error instanceof HushpollError)) throw error;
    console.log(error.message);
  }
  const more: Answers = { age: 31, ways: ["bus"], smokes: null, way: "car", cheated: false };
  const body: string = randomize(await verify(envelope, null), more).body;
  return body ? null : null;
}
`;

const WRONG = `
import { Client, MemoryState, randomize, type Receipt, verify } from "hushpoll";
import { FileState } from "hushpoll/node";
// @ts-expect-error: the key is pinned by the app
new Client("https://polls.example.org", {});
// @ts-expect-error: an epsilon is a text or a whole number
new Client("https://polls.example.org", { key: "ed25519:…", maxEpsilon: true });
// @ts-expect-error: a state is no path
const client = new Client("https://polls.example.org", { key: "ed25519:…", state: "state.json" });
// @ts-expect-error: a file has a path
new FileState();
// @ts-expect-error: a change gives the entry that it makes
new MemoryState().update(() => null);
// @ts-expect-error: a survey has a name
const survey = await client.survey();
// @ts-expect-error: an answer is no object
survey.randomize({ cheated: { yes: true } });
// @ts-expect-error: only a report can be submitted
await client.submit({ cheated: true });
// @ts-expect-error: there is no such state of a report
const isSent = (receipt: Receipt) => receipt.status === "sent";
// @ts-expect-error: a source of bytes hands them out
randomize(await verify("", null), {}, Math.random);
// @ts-expect-error: what was promised must be waited for
const spent: string = client.spent();
// @ts-expect-error: the shapes are the package's own, not everybody's
const entry: T.Entry | null = null;
export { entry, isSent, spent };
`;

/** Write down everything that is public, as TypeScript would name its type. */
function everyName() {
  const names = Object.entries(hushpoll).flatMap(([name, value]) => {
    const members = Object.getOwnPropertyNames(Object(value).prototype ?? {}).filter((each) => each !== "constructor");
    return [`typeof hushpoll.${name}`, ...members.map((each) => `hushpoll.${name}["${each}"]`)];
  });
  return `import type * as hushpoll from "hushpoll";\nexport type Names = [${names.join(", ")}];\n`;
}

test("TypeScript knows the package in a browser and in Node, and refuses wrong uses", async () => {
  const right = await write("right.ts", RIGHT);
  const wrong = await write("wrong.ts", WRONG);
  // tsc 7.0 leaves out, in silence, a function whose @type lies in another file.
  const names = await write("names.ts", everyName());
  const embed = await write(
    "embed.ts",
    'import "hushpoll/embed";\nimport { IndexedDBState } from "hushpoll";\nawait new IndexedDBState().update((entries) => entries[0]!);\n',
  );
  const browser = [
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
    "--lib",
    "es2023,dom,dom.iterable",
    "--types",
    "",
  ];
  assert.equal(await complaints(...browser, right, wrong, names, embed), "");
  const typeRoots = join(PACKAGE, "node_modules", "@types");
  const node = ["--module", "nodenext", "--lib", "es2023", "--types", "node", "--typeRoots", typeRoots];
  assert.equal(await complaints(...node, right, wrong), "");
});
