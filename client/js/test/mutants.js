/**
 * Manifests that a hostile publisher could sign: good ones, changed by a seeded lot. A publisher knows the rules, so
 * the claims of a mechanism and the number of its categories are often made to fit what was changed.
 */
import { readInteger } from "../src/mechanisms/design.js";
import { MECHANISMS } from "../src/mechanisms/index.js";
import { payloadOf, vectors } from "./support.js";

/** Names that every object has, and those of what the page itself makes of a question or a mechanism. */
const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "code", "codeIn", "answers", "domain", "size"];
const FIELDS = [
  ...["parts", "options", "extras", "when", "most", "labels", "min", "max", "report", "type"],
  ...["design", "spelling", "answersToTry", "draw", "sample", "weights", "remembered", "blank", "id", "epsilon"],
];
/** @type {unknown[]} */
const VALUES = [
  ...[null, true, false, 0, -1, 1, 2, 1.5, 1e9, 1e300, 2 ** 53, -(2 ** 53), 300, 1001],
  ...[
    "",
    " ",
    "\u200b",
    "x",
    "0",
    "1",
    "-",
    "1.5.5",
    "0x10",
    "1e3",
    "NaN",
    "9".repeat(400),
    "\ud800",
    "a\nb",
    "\uffff",
  ],
  ...["decline", "does_not_apply", "yes_no", "single_choice", "multi_choice", "scale", "number", "pair", "mean"],
  ...[[], {}, [[]], [null], ["x", "x"], { text: "x" }, { toString: 1 }, { length: 2 }, ...NAMES],
];
const UNSEEN = ["\u200b", " ", "\u00ad", "\u2060", "\n", "\u0301", "!"];

/** A lot that is the same in every run. It is NOT random. */
export class SeededLot {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed;
  }

  /** Return one of 0 … size − 1 (mulberry32). @param {number} size */
  below(size) {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % size;
  }

  /** Return bytes, as a source of draws does. @param {number} count */
  take(count) {
    return Uint8Array.from({ length: count }, () => this.below(256));
  }

  /** @template V @param {readonly V[]} values @returns {V} */
  one(values) {
    return values[this.below(values.length)];
  }
}

/** Read the good manifests of the vectors: every type of question, every mechanism. @returns {Promise<any[]>} */
export async function goodManifests() {
  const { good, payloads } = await vectors("manifests");
  const { surveys } = await vectors("reports");
  const signed = [...good, ...surveys].map(({ envelope }) => payloadOf(envelope));
  return [...payloads.good.map((/** @type {string} */ payload) => JSON.parse(payload)), ...signed];
}

/** Change a copy of a manifest in one to three places. @param {any} manifest @param {SeededLot} lot */
export function mutate(manifest, lot) {
  const mutant = structuredClone(shortened(manifest, lot));
  for (let changes = 1 + lot.below(3); changes > 0; changes -= 1) change(mutant, lot);
  if (lot.below(4)) repair(mutant, lot);
  return mutant;
}

/**
 * Keep some questions, in their order: small manifests are changed where it matters.
 * @param {any} manifest @param {SeededLot} lot
 */
function shortened(manifest, lot) {
  const small = manifest.questions.filter((/** @type {any} */ question) => JSON.stringify(question).length < 5000);
  if (lot.below(3) === 0) return { ...manifest, questions: small };
  const first = lot.below(small.length);
  return { ...manifest, questions: small.slice(first, first + 1 + lot.below(3)) };
}

/** List all places of a value: what holds them, and under which key. @param {any} holder @returns {[any, string][]} */
function placesIn(holder) {
  if (Object(holder) !== holder) return [];
  return Object.keys(holder).flatMap((key) => [[holder, key], ...placesIn(holder[key])]);
}

/** @param {any} mutant @param {SeededLot} lot */
function change(mutant, lot) {
  const asked = lot.below(4) ? placesIn(mutant.questions) : placesIn(mutant);
  const [holder, key] = lot.one(asked.length ? asked : placesIn(mutant));
  const value = holder[key];
  const isList = Array.isArray(holder);
  const set = (/** @type {unknown} */ other) => put(holder, key, other);
  const kinds = [
    () => (isList ? holder.splice(Number(key), 1) : delete holder[key]),
    () => set(structuredClone(lot.one(VALUES))),
    () => set(structuredClone(lot.one(asked.map(([other, name]) => other[name])))),
    () => set(lookAlike(value, lot)),
    () =>
      put(Array.isArray(holder) ? mutant : holder, lot.one([...NAMES, ...FIELDS]), structuredClone(lot.one(VALUES))),
    () => isList && holder.splice(lot.below(holder.length + 1), 0, structuredClone(value)),
    () => isList && holder.push(structuredClone(lot.one(holder))),
    () => isList && holder.reverse(),
  ];
  lot.one(kinds)();
}

/**
 * Set an own field, also one that is called `__proto__`, as JSON can.
 * @param {any} holder @param {string} key @param {unknown} value
 */
function put(holder, key, value) {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Return a value that could be taken for another. @param {any} value @param {SeededLot} lot @returns {any} */
function lookAlike(value, lot) {
  if (typeof value === "number") return lot.one([value + 1, value - 1, -value, value * 2, value + 0.5, `${value}`]);
  if (typeof value === "string")
    return lot.one([value + lot.one(UNSEEN), lot.one(UNSEEN) + value, [value], Number(value)]);
  if (Array.isArray(value)) return lot.one([value.flat(), [value], value.concat(value), Object(value)[0], `${value}`]);
  return [value];
}

/** Make the claims fit, as a publisher would who wants to be believed. @param {any} mutant @param {SeededLot} lot */
function repair(mutant, lot) {
  mutant.epsilon = "100000";
  for (const question of Array.isArray(mutant.questions) ? mutant.questions : []) {
    try {
      repairMechanism(question, lot);
    } catch {
      // What cannot be made sound stays as it is.
    }
  }
}

/** @param {any} question @param {SeededLot} lot */
function repairMechanism(question, lot) {
  const { mechanism, options = [], extras = [] } = question;
  const ids = options.map((/** @type {any} */ option) => [option].flat()[0]);
  const counts = [ids.length + extras.length, new Set([...ids, ...extras]).size];
  const count = lot.one(counts);
  if (ids.length && mechanism.size && lot.below(4)) mechanism.size = count;
  if (ids.length && mechanism.options && lot.below(4)) mechanism.options = count;
  if (!ids.length && mechanism.extras !== undefined) mechanism.extras = extras.length;
  if (mechanism.most) mechanism.most = question.most;
  const Mechanism = MECHANISMS.find(({ NAME }) => NAME === mechanism.name);
  if (!Mechanism) return;
  // A mechanism beyond its bounds would take all memory; readers look at the bounds first.
  const parameters = Object.entries(Mechanism.bounds).map(([key, limits]) => [
    key,
    readInteger(mechanism[key], limits),
  ]);
  mechanism.odds = new Mechanism(Object.fromEntries(parameters), mechanism).odds;
  mechanism.epsilon = "100000";
}
