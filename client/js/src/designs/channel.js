/**
 * @file A finite channel for means: the answer is moved to a grid point, whose row of the table gives the report.
 *
 * Rows hold cumulative thresholds over 2^64. Odds: the worst ratio, over outputs, of the weights of two rows. Extras
 * (prefer not to say, does not apply) have the last rows; outputs that tell a number from an extra have no value.
 */
import { isPlace } from "../domains.js";
import { Design, SPAN } from "../epsilon.js";
import { need } from "../errors.js";
import { bernoulli, u64 } from "../randomness.js";

export class Channel extends Design {
  static bounds = { inputs: [2, 1001], extras: [0, 2] };

  /** @param {T.Some<"inputs" | "extras">} fields @param {T.Some<"values" | "table">} lists */
  constructor(fields, { values, ...lists }) {
    const { inputs, extras } = fields;
    const table = lists.table.map((row) => row.map(BigInt));
    const isWhole = table.length === inputs + extras && table.every((row) => row.length === values.length - 1);
    need(isWhole);
    let [top, bottom] = [1n, 1n];
    for (const output of values.keys()) {
      const weights = table.map((row) => (row[output] ?? SPAN) - (row[output - 1] ?? 0n)).sort((a, b) => Number(a - b));
      const [low] = weights;
      const [high] = weights.reverse();
      need(low > 0n);
      if (high * bottom > top * low) [top, bottom] = [high, low];
    }
    super({ ...fields, values }, top, bottom, values.length - 1);
    this.table = table;
  }

  /** @param {T.Code} code */
  holds(code) {
    return isPlace(code, this.extras);
  }

  /** @param {T.ByteSource} source @param {T.NumberCode} code */
  sample(source, code) {
    const row = this.table[drawPoint(source, code, this.inputs - 1)];
    const chance = u64(source);
    return this.write(row.reduce((output, threshold) => output + Number(threshold <= chance), 0));
  }
}

/**
 * Give the grid point of an answer. Between two, one is drawn, so that the mean stays. Extras are behind the last.
 * @param {T.ByteSource} source @param {T.NumberCode} code @param {number} steps
 */
export function drawPoint(source, code, steps) {
  if (typeof code === "number") return steps + 1 + code + bernoulli(source, 0n);
  const { top, bottom } = code;
  const position = top * BigInt(steps);
  const below = Math.min(Number(position / bottom), steps - 1);
  /** @remarks At the end of the range the threshold is 2^64, above all draws. */
  return below + bernoulli(source, ((position - BigInt(below) * bottom) * SPAN) / bottom);
}
