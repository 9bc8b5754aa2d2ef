/** Mechanisms, field by field: known keys in order, whole numbers in their one spelling, nothing that Python refuses. */
import { DESIGNS, readDesign } from "./designs/index.js";
import { SPAN } from "./epsilon.js";
import { need } from "./errors.js";
import { check, checkKeys, checkWhole, EPSILON } from "./strict_values.js";

/** @import { Design, Fields } from "./types.js" */

const MOST_OUTPUTS = 1024;
const MOST_ENTRIES = 40_000;
const LARGEST_VALUE = Number.MAX_SAFE_INTEGER;

/** What some mechanisms need besides. @type {Record<string, (fields: Fields) => void>} */
const RULES = {
  padded({ options, most, picks }) {
    need(most <= options && picks <= options, "an answer cannot hold more than all options");
  },
  channel: examineTable,
};

/** Read a mechanism in its one spelling. @param {unknown} fields @returns {Design} */
export function readStrictly(fields) {
  const name = String(Object(fields).name);
  need(Object.hasOwn(DESIGNS, name), "a question's mechanism is unknown: update Hushpoll");
  const { bounds } = DESIGNS[name];
  const keys = name === "channel" ? "inputs,extras,values,unit,table" : Object.keys(bounds).join(",");
  const given = checkKeys(fields, `name,${keys},odds,epsilon`);
  need(given.name === name, "a mechanism's name is a text");
  check(given.epsilon, EPSILON, "an epsilon is a number");
  for (const [key, [least, most]] of Object.entries(bounds)) {
    if (typeof least === "bigint") checkThreshold(given[key]);
    else checkWhole(given[key], least, Number(most));
  }
  RULES[name]?.(given);
  const design = readDesign(given);
  const { inner, permanent, instant } = design;
  need(design.epsilon.units > 0n, "a mechanism reveals nothing");
  const isHonest = [design, inner, permanent, instant].every(isTruthLikelier) || name === "warner";
  need(isHonest, "a mechanism must report the truth more often than by chance");
  return design;
}

/** @param {unknown} value */
function checkThreshold(value) {
  return check(value, /^[1-9]\d{0,19}$/, "a threshold is a whole number");
}

/** @param {Design} [design] */
function isTruthLikelier({ threshold = 0n, inside = 0, outside = 0 } = /** @type {any} */ ({})) {
  return inside === 0 || threshold * BigInt(outside) > (SPAN - threshold) * BigInt(inside);
}

/** @param {Fields} fields */
function examineTable({ inputs, extras, values, unit, table }) {
  need(Array.isArray(values) && Array.isArray(table), "a channel needs lists of values and rows");
  checkWhole(unit, 1, LARGEST_VALUE);
  // With extras, the first outputs tell a number from each of them.
  const first = extras ? extras + 1 : 0;
  for (const [output, value] of values.entries()) {
    if (output < first) need(value === null, "the first outputs of a channel with extras have no value");
    else checkWhole(value, -LARGEST_VALUE, LARGEST_VALUE);
  }
  const rows = inputs + extras;
  checkWhole(values.length, first + 2, Math.min(MOST_OUTPUTS, Math.floor(MOST_ENTRIES / rows)));
  need(table.length === rows && table.every(Array.isArray), "a channel needs a row for each input and extra");
  for (const row of table) row.forEach(checkThreshold);
}
