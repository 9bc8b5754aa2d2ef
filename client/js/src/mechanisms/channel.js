/**
 * A finite channel for means: the answer is moved to a grid point, whose row of the table gives the report.
 *
 * Rows hold cumulative thresholds over 2^64. Odds: the worst ratio, over outputs, of the weights of two rows. Extras
 * (prefer not to say, does not apply) have the last rows; outputs that tell a number from an extra have no value.
 */
import { need } from "../errors.js";
import { SPAN, u64 } from "../randomness.js";
import { Design, readInteger, THRESHOLD } from "./design.js";
import { Numbers } from "./domains.js";
import { drawPoint } from "./grid.js";
import { guessesOf } from "./sentence.js";

/** @import { ByteSource, Fields, NumberCode, DesignParameters } from "../types.js" */

export class Channel extends Design {
  static NAME = "channel";
  static bounds = { inputs: [2, 1001], extras: [0, 2] };

  /**
   * @param {DesignParameters<"inputs" | "extras">} parameters
   * @param {Fields} lists as the manifest gives them: the values of the outputs, and the table
   */
  constructor({ inputs, extras }, { values, unit, table }) {
    need(Array.isArray(values));
    const rows = readTable(table, inputs + extras, values.length);
    super(worstOdds(rows, values.length), new Numbers("mean", extras, inputs), values.length - 1);
    this.inputs = inputs;
    this.extras = extras;
    this.table = rows;
    /** What each output stands for, from 0 at the least answer to 1 at the largest. @type {(number | null)[]} */
    this.shares = values.map((value) => value && value / unit / (inputs - 1));
  }

  /** @param {ByteSource} source @param {NumberCode} code */
  sample(source, code) {
    const row = this.table[drawPoint(source, code, this.inputs - 1)];
    const chance = u64(source);
    return this.write(row.reduce((output, threshold) => output + Number(threshold <= chance), 0));
  }

  /** @param {string} draw */
  share(draw) {
    return this.shares[Number.parseInt(draw, 16)];
  }

  oddsSentence() {
    return { key: this.extras ? "odds_extras" : "odds", phrases: guessesOf(this.weights) };
  }
}

/** @param {unknown} table @param {number} rows @param {number} outputs @returns {bigint[][]} */
function readTable(table, rows, outputs) {
  need(Array.isArray(table) && table.length === rows);
  return table.map((row) => {
    need(Array.isArray(row) && row.length === outputs - 1);
    return row.map((threshold) => BigInt(readInteger(threshold, THRESHOLD)));
  });
}

/**
 * Return the largest ratio of two weights of one output, as its two sides.
 * @param {bigint[][]} rows @param {number} outputs
 */
function worstOdds(rows, outputs) {
  let [top, bottom] = [1n, 1n];
  for (let output = 0; output < outputs; output += 1) {
    const weights = rows.map((row) => (row[output] ?? SPAN) - (row[output - 1] ?? 0n)).sort((a, b) => Number(a - b));
    const [low] = weights;
    const [high] = weights.reverse();
    need(low > 0n);
    if (high * bottom > top * low) [top, bottom] = [high, low];
  }
  return [top, bottom];
}
