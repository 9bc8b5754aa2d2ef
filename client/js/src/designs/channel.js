/**
 * A finite channel for means: the answer is moved to a grid point, whose row of the table gives the report.
 *
 * Rows hold cumulative thresholds over 2^64. Odds: the worst ratio, over outputs, of the weights of two rows. Extras
 * (prefer not to say, does not apply) have the last rows; outputs that tell a number from an extra have no value.
 */
import { checkThreshold, Design, need, readFields, SPAN } from "../core.js";
import { u64 } from "../uniform.js";
import { drawPoint } from "./grid.js";
import { checkSize, indexWidth, writeIndex } from "./wire.js";

/** @import { ByteSource, NumberCode } from "../types.js" */

const MOST_INPUTS = 1001;
const MOST_OUTPUTS = 1024;
const MOST_ENTRIES = 40_000;
const LARGEST_VALUE = Number.MAX_SAFE_INTEGER;

export class Channel extends Design {
  /**
   * @param {readonly (number | null)[]} values @param {number} unit @param {readonly (readonly bigint[])[]} table
   * @param {number} extras
   */
  constructor(values, unit, table, extras) {
    const weights = table.map(weightsOf);
    need(
      weights.every((row) => row.length === values.length),
      "a channel needs a value for each output",
    );
    need(
      weights.flat().every((weight) => weight > 0n),
      "each output of a channel needs a weight in each row",
    );
    const ratios = values.map((_, output) => extremes(weights.map((row) => row[output])));
    const [top, bottom] = ratios.reduce((a, b) => (b[0] * a[1] > a[0] * b[1] ? b : a));
    super(top, bottom);
    this.inputs = table.length - extras;
    this.extras = extras;
    this.values = Object.freeze([...values]);
    this.unit = unit;
    this.table = Object.freeze(table.map((row) => Object.freeze([...row])));
    Object.freeze(this);
  }

  /** @param {unknown} fields */
  static read(fields) {
    const KEYS = "inputs,extras,values,unit,table";
    const { inputs, extras, values, unit, table, ...claims } = readFields(fields, "channel", KEYS);
    const rows = checkSize(inputs, 2, MOST_INPUTS) + checkSize(extras, 0, 2);
    need(Array.isArray(values) && Array.isArray(table), "a channel needs lists of values and rows");
    // With extras, the first outputs tell a number from each of them.
    const first = extras ? extras + 1 : 0;
    for (const [output, value] of values.entries()) {
      if (output < first) need(value === null, "the first outputs of a channel with extras have no value");
      else checkSize(value, -LARGEST_VALUE, LARGEST_VALUE);
    }
    checkSize(values.length, first + 2, Math.min(MOST_OUTPUTS, MOST_ENTRIES / rows));
    need(table.length === rows && table.every(Array.isArray), "a channel needs a row for each input and extra");
    const thresholds = table.map((row) => row.map(checkThreshold));
    return new Channel(values, checkSize(unit, 1, LARGEST_VALUE), thresholds, extras).check(claims);
  }

  get blank() {
    return "-".repeat(indexWidth(this.values.length - 1));
  }

  /** @param {ByteSource} source @param {NumberCode} answer */
  draw(source, answer) {
    const row = this.table[drawPoint(source, answer, this.inputs - 1)];
    const chance = u64(source);
    const output = row.reduce((count, threshold) => count + Number(threshold <= chance), 0);
    return writeIndex(output, row.length);
  }
}

/** @param {readonly bigint[]} thresholds */
function weightsOf(thresholds) {
  return [...thresholds, SPAN].map((end, i) => end - (thresholds[i - 1] ?? 0n));
}

/** Give the largest and the smallest. @param {readonly bigint[]} numbers */
function extremes(numbers) {
  const sorted = [...numbers].sort((a, b) => (a < b ? -1 : 1));
  return [sorted[sorted.length - 1], sorted[0]];
}
