/**
 * What the waves of a panel cost together: each question once, whatever is answered.
 *
 * The rule here: neither what is stored nor who may take part depends on an answer.
 */
import { toHex } from "./encoding.js";
import { Epsilon } from "./epsilon.js";
import { EpsilonCapExceeded } from "./errors.js";
import { identityOf } from "./permanent.js";

/** @import { Manifest } from "./manifest.js" */
/** @import { Entry, Row, Wave } from "./types.js" */

// If the app sets no limit, a panel may cost this much, or twice what its first wave could cost.
const LEAST_CAP = Epsilon.parse(8);

/**
 * Return a row for each question: a repeated one by the hash of what people see. No text stays on the device.
 * @param {Manifest} manifest @returns {Promise<Row[]>}
 */
export function rowsOf({ questions }) {
  return Promise.all(
    questions.map(async (question) => {
      const { epsilon, remembered } = question.design;
      const identity = identityOf(question);
      const hash = identity && (await crypto.subtle.digest("SHA-256", new TextEncoder().encode(identity)));
      return [hash ? toHex(hash) : "", `${epsilon}`, remembered?.size ?? 1];
    }),
  );
}

/**
 * Weigh a wave together with the earlier ones of its panel; refuse it if they would cost too much.
 * @param {Manifest} manifest @param {readonly Row[]} rows of its questions
 * @param {string} key the publisher's: under another one the draws are new
 * @param {readonly Entry[]} earlier @param {Epsilon} [limit]
 * @returns {Wave}
 */
export function weighWave({ survey, panel, questions, epsilon }, rows, key, earlier, limit) {
  const lasting = rows.filter(([identity]) => identity);
  const fresh = sumOfRows(rows.filter(([identity]) => !identity));
  lasting.push([survey, `${fresh.exceeds(epsilon) ? epsilon : fresh}`, 1]);
  const { first = `${sumOfRows(lasting)}` } = earlier[0] ?? {};
  const twice = Epsilon.parse(first).plus(Epsilon.parse(first));
  const most = limit ?? (twice.exceeds(LEAST_CAP) ? twice : LEAST_CAP);
  const cost = sumOfRows([...new Map([...earlier, { key, rows: lasting }].flatMap(rowsByKey)).values()]);
  if (cost.exceeds(most)) throw Object.assign(new EpsilonCapExceeded(), { epsilon: `${cost}`, cap: `${most}` });
  const known = new Map(earlier.flatMap(rowsByKey));
  const newQuestions = questions.filter((_, i) => rows[i][0] && !known.has(key + rows[i][0]));
  const record = { panel: `${panel}`, first, most: `${epsilon}`, rows: lasting };
  return { record, isKnown: known.size > 0, newQuestions };
}

/** @param {Pick<Entry, "key" | "rows">} wave @returns {[string, Row][]} */
function rowsByKey({ key, rows = [] }) {
  return rows.map((row) => [key + row[0], row]);
}

/** @param {readonly Row[]} rows */
export function sumOfRows(rows) {
  return rows.reduce((sum, [, epsilon]) => sum.plus(Epsilon.parse(epsilon)), new Epsilon(0n));
}
