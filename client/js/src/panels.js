/**
 * @file What the waves of a panel cost together: each question once, whatever is answered.
 *
 * The law here: nothing depends on an answer, neither what is kept nor who may take part.
 */
import { Epsilon } from "./epsilon.js";
import { EpsilonCapExceeded } from "./errors.js";
import { identityOf } from "./permanent.js";

/**
 * Weigh a wave beside the earlier ones of its panel; refuse one with which they would cost too much.
 * @param {T.Manifest} manifest @param {string} key the publisher's: under another one the draws are new
 * @param {readonly T.Entry[]} waves @param {Epsilon} [limit] else 8, or twice the cost of the first wave
 * @returns {T.Wave}
 */
export function weigh({ survey, panel, questions, epsilon }, key, waves, limit) {
  /** @type {T.Row[]} */
  const rows = questions.map((question) => [
    identityOf(question) ?? "",
    `${question.design.epsilon}`,
    question.design.size ?? 1,
  ]);
  const lasting = rows.filter(([identity]) => identity);
  const fresh = total(rows.filter(([identity]) => !identity));
  lasting.push([survey, `${fresh.exceeds(epsilon) ? epsilon : fresh}`, 1]);
  const { first = `${total(lasting)}` } = waves[0] ?? {};
  const paid = new Map([...waves, { key, rows: lasting }].flatMap(rowsByKey));
  const twice = Epsilon.parse(first).plus(Epsilon.parse(first));
  const most = limit ?? [Epsilon.parse(8), twice].reduce((a, b) => (b.exceeds(a) ? b : a));
  const cost = total([...paid.values()]);
  if (cost.exceeds(most)) {
    const message = `the waves of the panel ${panel} would cost epsilon ${cost} together, above ${most}`;
    throw new EpsilonCapExceeded(`${message}: leave this one out`);
  }
  const known = new Map(waves.flatMap(rowsByKey));
  const news = questions.filter((_, i) => rows[i][0] && !known.has(key + rows[i][0]));
  return { kept: { panel, first, most: `${epsilon}`, rows: lasting }, isKnown: known.size > 0, news };
}

/** @param {Pick<T.Entry, "key" | "rows">} wave @returns {[string, T.Row][]} */
function rowsByKey({ key, rows = [] }) {
  return rows.map((row) => [key + row[0], row]);
}

/** @param {readonly T.Row[]} rows */
export function total(rows) {
  return rows.reduce((sum, [, epsilon]) => sum.plus(Epsilon.parse(epsilon)), new Epsilon(0n));
}
