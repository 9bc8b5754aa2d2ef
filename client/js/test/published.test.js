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

/** Packing is done in a copy that is like a fresh clone: without the packages that check the code. */
async function copyRepository() {
  const isOurs = (/** @type {string} */ path) => !/js.(?:node_modules|LICENSE)$/.test(path);
  await cp(PACKAGE, join(home, "client", "js"), { recursive: true, filter: isOurs });
  await cp(join(PACKAGE, "..", "..", "LICENSE"), join(home, "LICENSE"));
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

test("the package holds the sources, the declarations and the words, and nothing else", async () => {
  const names = await readdir(join(PACKAGE, "src"), { recursive: true });
  const modules = [...names.filter((name) => name.endsWith(".js")).map((name) => `src/${name}`)];
  const declarations = (await readdir(join(PACKAGE, "types"))).map((name) => `types/${name}`);
  const bindings = ["bindings/react.js", "bindings/vue.js"];
  const rest = ["LICENSE", "README.md", "bin/randomize.mjs", ...bindings, "embed/hushpoll-survey.js", "package.json"];
  const words = (await readdir(join(PACKAGE, "words"), { recursive: true })).filter((name) => name.endsWith(".js"));
  assert.deepEqual(packed, [...rest, ...modules, ...declarations, ...words.map((name) => `words/${name}`)].sort());
});

test("it installs without a registry, depends on nothing and brings the program along", async () => {
  assert.deepEqual((await readdir(join(home, "app", "node_modules"))).filter(isVisible), ["hushpoll"]);
  const { dependencies, exports } = JSON.parse(
    await readFile(join(home, "app/node_modules/hushpoll/package.json"), "utf8"),
  );
  assert.deepEqual([dependencies, Object.keys(exports)], [undefined, [".", "./node", "./embed", "./react", "./vue"]]);
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

test("the installed package draws the reports of the vectors, and tells what they say", async () => {
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
    const manifest = await verify(envelope, key);
    const { body } = randomize(manifest, answers, source);
    const { odds } = await manifest.questions[0].told("de");
    const client = new Client("https://polls.example.org", { key, state: new FileState("state.json") });
    console.log(JSON.stringify([body, await client.spent(), bytes.length, odds]));`,
  );
  const { stdout } = await run(process.execPath, [path], { cwd: join(home, "app") });
  const [{ told }] = (await vectors("told")).surveys;
  assert.deepEqual(JSON.parse(stdout), [body, "0", 0, told.de.odds]);
});

const RIGHT = `
import { type Answers, Client, HushpollError, type Receipt, type State, type Told, randomize, verify } from "hushpoll";

export async function ask(state: State, envelope: string): Promise<Receipt | null> {
  const client = new Client("https://polls.example.org", { key: "ed25519:…", maxEpsilon: 4, state, timeout: 5000 });
  try {
    const survey = await client.survey("campus");
    const answers: Answers = {};
    for (const question of survey.manifest.questions) {
      const { short, odds, direction }: Told = await question.told("de-AT");
      console.log(short, odds, direction === "rtl");
      const parts = question.type === "pair" ? question.parts : [question];
      for (const part of parts) answers[part.id] = part.type === "single_choice" ? part.options[0]!.id : true;
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
import { Client, type Manifest, MemoryState, type NumberQuestion, type Question, randomize, type Receipt, Report, verify } from "hushpoll";
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
// @ts-expect-error: a type that there is not
const isText = (question: Question) => question.type === "text";
// @ts-expect-error: sentences are loaded, so they must be waited for
const oddsOf = (question: Question): string => question.told("en").odds;
// @ts-expect-error: a part is told with its pair
const partOf = (question: Question) => question.type === "pair" && question.parts[0]?.told("en");
// @ts-expect-error: only a choice has options
const optionsOf = (question: Question) => question.options;
// @ts-expect-error: the ends of a range of numbers are texts, those of a scale are numbers
const middleOf = (question: NumberQuestion) => question.min / 2;
// @ts-expect-error: a signed manifest cannot be changed
const rename = (manifest: Manifest) => { manifest.title = ""; };
// @ts-expect-error: a report is made by randomize
new Report();
// @ts-expect-error: the shapes are the package's own, not everybody's
const entry: T.Entry | null = null;
export { entry, isSent, isText, middleOf, oddsOf, optionsOf, partOf, rename, spent };
`;

const EMBED = `
import "hushpoll/embed";
import type { HushpollSurvey, Reason } from "hushpoll/embed";
import { IndexedDBState } from "hushpoll";
await new IndexedDBState().update((entries) => entries[0]!);
const survey: HushpollSurvey = document.createElement("hushpoll-survey");
const why: Reason | null = survey.unavailable;
document.addEventListener("hushpoll-unavailable", ({ detail }) => {
  const reason: Reason = detail.reason;
  console.log(reason === "storage", detail.survey?.length, why);
});
survey.addEventListener("hushpoll-sent", ({ detail }) => console.log(detail.survey.length));
// @ts-expect-error: no event says what was answered
survey.addEventListener("hushpoll-closed", ({ detail }) => console.log(detail.answers));
// @ts-expect-error: there is no such reason
if (survey.unavailable === "tired") console.log();
const tag: JSX.IntrinsicElements["hushpoll-survey"] = { src: "https://polls.example.org/s/campus", height: 640 };
// @ts-expect-error: the address is needed
const bare: JSX.IntrinsicElements["hushpoll-survey"] = { height: 640 };
console.log(tag, bare);
`;

/** Write down everything that is public, as TypeScript would name its type; how a question makes codes is not. */
function everyName() {
  const all = Object.entries(hushpoll).filter(([name]) => name !== "Question");
  const names = all.flatMap(([name, value]) => {
    const members = Object.getOwnPropertyNames(Object(value).prototype ?? {}).filter((each) => each !== "constructor");
    return [`typeof hushpoll.${name}`, ...members.map((each) => `hushpoll.${name}["${each}"]`)];
  });
  return `import type * as hushpoll from "hushpoll";\nexport type Names = [${names.join(", ")}];\n`;
}

test("TypeScript knows the package in a browser and in Node, and refuses wrong uses", async () => {
  const right = await write("right.ts", RIGHT);
  const wrong = await write("wrong.ts", WRONG);
  const names = await write("names.ts", everyName());
  const embed = await write("embed.ts", EMBED);
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

/** Return the blocks of code of a page, but for those that are HTML. @param {string} path */
async function examplesOf(path) {
  const text = await readFile(join(PACKAGE, path), "utf8");
  return [...text.matchAll(/^```(js|tsx?)\n(.*?)^```$/gms)].map(([, language, code]) => ({ language, code }));
}

const VUE = `
import { h } from "vue";
import { HushpollSurvey } from "hushpoll/vue";
h(HushpollSurvey, { src: "", onUnavailable: ({ detail }) => console.log(detail.reason === "storage") });
`;
const WRONG_TAGS = `
import { HushpollSurvey } from "hushpoll/react";
// @ts-expect-error: the address is needed
export const bare = <HushpollSurvey height={640} />;
// @ts-expect-error: no event says what was answered
export const nosy = <HushpollSurvey src="" onSent={({ detail }) => detail.answers} />;
// @ts-expect-error: the same of the tag itself
export const tag = <hushpoll-survey height={640} />;
export const right = <hushpoll-survey src="" className="wide" />;
`;

test("the components of React and Vue are typed", async () => {
  const modules = join(home, "ui", "node_modules");
  await mkdir(modules, { recursive: true });
  await symlink(join(home, "app", "node_modules", "hushpoll"), join(modules, "hushpoll"));
  for (const name of ["@types", "@vue", "csstype", "vue"]) {
    await symlink(join(PACKAGE, "node_modules", name), join(modules, name));
  }
  const [{ code }] = (await examplesOf("../../docs/embedding.md")).filter(({ language }) => language === "tsx");
  for (const [name, program] of [
    ["example.tsx", code],
    ["tags.tsx", WRONG_TAGS],
    ["vue.ts", VUE],
  ]) {
    await writeFile(join(home, "ui", name), program);
  }
  const options = { strict: true, noEmit: true, skipLibCheck: true, jsx: "react-jsx", preserveSymlinks: true };
  const lookup = { module: "esnext", moduleResolution: "bundler", target: "es2022", types: [] };
  await writeFile(join(home, "ui", "tsconfig.json"), JSON.stringify({ compilerOptions: { ...options, ...lookup } }));
  const { stdout } = await run(TSC, ["--project", join(home, "ui", "tsconfig.json")]).catch((error) => error);
  assert.equal(stdout, "");
});

test("tsc --strict accepts every example of the documents", async () => {
  const files = [];
  for (const path of ["README.md", "../../docs/javascript-sdk.md"]) {
    const examples = await examplesOf(path);
    assert.ok(
      examples.some(({ code }) => code.includes("client.survey")),
      path,
    );
    for (const { language, code } of examples) {
      // Each is a module of its own.
      files.push(await write(`example${files.length}.${language}`, `${code}\nexport {};\n`));
    }
  }
  assert.ok(files.some((path) => path.endsWith(".ts")));
  const options = { strict: true, allowJs: true, checkJs: true, noEmit: true, skipLibCheck: false, target: "es2022" };
  const lookup = { module: "nodenext", types: ["node"], typeRoots: [join(PACKAGE, "node_modules", "@types")] };
  // Import maps do not reach workers, so their example imports by path.
  const paths = { "/hushpoll/src/index.js": ["./node_modules/hushpoll/types/index.d.ts"] };
  const compilerOptions = { ...options, ...lookup, lib: ["es2023", "dom"], paths };
  await write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
  const project = join(home, "app", "tsconfig.json");
  const { stdout } = await run(TSC, ["--project", project]).catch((error) => error);
  assert.equal(stdout, "");
});
