/** Mechanisms in their one spelling: known keys in order, thresholds as texts, nothing else. */
import { need } from "../errors.js";
import { examineChannel } from "./channel.js";
import { checkEpsilon, checkKeys, isSpelled } from "./values.js";

/** @import { AnyDesign, Fields, Mechanism } from "../types.js" */

/**
 * What a mechanism has in addition to integers, as it is written.
 * @type {ReadonlyMap<string, (design: any, fields: Fields) => Fields>}
 */
const LISTS = new Map([["channel", examineChannel]]);

/**
 * Refuse fields that do not spell a design in the one valid way.
 * @param {AnyDesign} design @param {Fields} fields of which it was read
 */
export function examineDesign(design, fields) {
  const { name, odds } = design;
  const lists = LISTS.get(name)?.(design, fields);
  const written = { name, ...integersOf(design), ...lists, odds, epsilon: checkEpsilon(fields.epsilon) };
  checkKeys(fields, Object.keys(written));
  need(isSpelled(fields, written), "a number of a mechanism is not written in its one spelling");
}

/** Return the integers of a design: thresholds as texts, because JSON readers round numbers. @param {Fields} design */
function integersOf(design) {
  const { bounds } = /** @type {Mechanism} */ (design.constructor);
  const written = Object.keys(bounds).map((key) => [key, design[key]]);
  return Object.fromEntries(written.map(([key, value]) => [key, typeof value === "bigint" ? `${value}` : value]));
}
