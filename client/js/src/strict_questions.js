/** Questions, field by field: what each type has, in its one spelling. */
import { need } from "./errors.js";
import { readStrictly } from "./strict_designs.js";
import { check, checkDistinct, checkKeys, checkList, checkName, checkText, checkWhole } from "./strict_values.js";

/** @import { Fields } from "./types.js" */

const EXTRAS = ["decline", "does_not_apply"];
const OPTION_ID = /^(?!(?:decline|does_not_apply|-)$)\P{Cc}{1,200}$/u;
const DECIMAL = /^(?!-0$)-?(?:0|[1-9]\d{0,14})(?:\.\d{0,14}[1-9])?$/;
const UNKNOWN = "a question's type is unknown: update Hushpoll";

/** What each type has besides. @type {Map<string, { keys: string, examine?: (fields: Fields) => void }>} */
const TYPES = new Map(
  Object.entries({
    yes_no: { keys: "extras" },
    single_choice: { keys: "options,extras", examine: ({ options }) => examineOptions(options, 100_000) },
    multi_choice: { keys: "options,most,extras", examine: examineTicks },
    scale: { keys: "min,max,labels,report,extras", examine: examineScale },
    number: { keys: "min,max,report,extras", examine: examineNumber },
    pair: { keys: "parts", examine: ({ parts }) => checkList(parts, 2, 2).forEach(examinePart) },
  }),
);

/** Examine a question of format 1. @param {unknown} fields @returns {Fields} */
export function examinePlainQuestion(fields) {
  const { id, text, type, mechanism } = checkKeys(fields, "id,text,type,mechanism");
  need(type === "yes_no", UNKNOWN);
  checkKeys(mechanism, "name,threshold,odds,epsilon");
  readStrictly(mechanism);
  checkName(id);
  checkText(text);
  return Object(fields);
}

/** Examine a question of a later format. @param {unknown} fields @param {string} last its last keys @returns {Fields} */
export function examineQuestion(fields, last) {
  const { type, mechanism } = examineFields(fields, `,${last}`);
  readStrictly(mechanism);
  const { name, inputs } = mechanism;
  const isForAll = name !== "channel" || type !== "scale" || inputs === Object(fields).max - Object(fields).min + 1;
  need(isForAll && (name !== "warner" || type === "yes_no"), "a mechanism does not fit its question");
  return Object(fields);
}

/** @param {unknown} fields */
function examinePart(fields) {
  const { type, report } = examineFields(fields, "");
  const isChoice = ["yes_no", "single_choice", "scale"].includes(type) && report !== "mean";
  need(isChoice, "a pair joins questions of the types yes_no, single_choice or scale (shares)");
}

/** @param {unknown} fields @param {string} last */
function examineFields(fields, last) {
  const kind = TYPES.get(Object(fields).type);
  need(kind, UNKNOWN);
  const given = checkKeys(fields, `id,text,type,${kind.keys}${last}`);
  checkName(given.id);
  checkText(given.text);
  examineExtras(given.extras ?? []);
  kind.examine?.(given);
  return given;
}

/** @param {unknown} value */
function examineExtras(value) {
  const extras = checkList(value, 0, EXTRAS.length);
  const inOrder = EXTRAS.filter((extra) => extras.includes(extra));
  need(JSON.stringify(extras) === JSON.stringify(inOrder), `extras are some of ${EXTRAS.join(", ")}, in this order`);
}

/** Options are texts, each its own id, or pairs of an id and a text. @param {unknown} value @param {number} most */
function examineOptions(value, most) {
  const ids = checkList(value, 2, most).map((item) => {
    const [id, text] = typeof item === "string" ? [item, item] : checkList(item, 2, 2);
    need(id !== text || item === id, "an option whose id is its text is written as the text");
    checkText(id);
    checkText(text);
    return check(id, OPTION_ID, "this cannot be the id of an option");
  });
  checkDistinct(ids, "two options have the same id");
}

/** @param {Fields} fields */
function examineTicks({ options, most }) {
  examineOptions(options, 256);
  if (most !== null) checkWhole(most, 1, options.length);
}

/** @param {Fields} fields */
function examineScale({ min, max, labels, report }) {
  checkWhole(min, -1e9, 1e9);
  checkWhole(max, min + 1, min + 1000);
  let next = min;
  for (const label of checkList(labels, 0, max - min + 1)) {
    const [point, text] = checkList(label, 2, 2);
    next = checkWhole(point, next, max) + 1;
    checkText(text);
  }
  examineReport(report, ["shares", "mean"]);
}

/** @param {Fields} fields */
function examineNumber({ min, max, report }) {
  const [low, high] = [min, max].map((end) => {
    const text = check(end, DECIMAL, 'an end of a range is a number such as "40" or "-1.5", without spare zeros');
    const [whole, decimals = ""] = text.split(".");
    return BigInt(whole + decimals.padEnd(15, "0"));
  });
  need(low < high, "the max of a range must be above its min");
  examineReport(report, ["mean", "distribution"]);
}

/** @param {unknown} value @param {readonly unknown[]} known */
function examineReport(value, known) {
  need(known.includes(value), `report is one of ${known.join(", ")}`);
}
