/** The lists of a channel: the values of its outputs, which only estimators use, and its table. */
import { need } from "../errors.js";
import { checkList, checkWhole } from "./values.js";

/** @import { Channel } from "../mechanisms/channel.js" */
/** @import { Fields } from "../types.js" */

const MOST_OUTPUTS = 1024;
const MOST_ENTRIES = 40_000;
const LARGEST_VALUE = Number.MAX_SAFE_INTEGER;

/** Return the lists as a manifest writes them. @param {Channel} channel @param {Fields} fields it was read from */
export function examineChannel({ extras, table }, { values, unit }) {
  checkWhole(unit, 1, LARGEST_VALUE);
  // With extras, the first outputs tell a number from each of them.
  const first = extras ? extras + 1 : 0;
  checkList(values, first + 2, Math.min(MOST_OUTPUTS, Math.floor(MOST_ENTRIES / table.length)));
  for (const [output, value] of values.entries()) {
    if (output < first) need(value === null, "the first outputs of a channel with extras have no value");
    else checkWhole(value, -LARGEST_VALUE, LARGEST_VALUE);
  }
  return { values, unit, table: table.map((row) => row.map(String)) };
}
