/**
 * @file What the waves of a panel cost together: each question once, whatever is answered.
 *
 * The law here: nothing depends on an answer, neither what is kept nor who may take part.
 */
import { Epsilon } from "./epsilon.js";
import { EpsilonCapExceeded, need } from "./errors.js";
import { identityOf } from "./permanent.js";
import { toHex } from "./randomness.js";

const SHAPE =
  /^((yes_no:id,text,type|single_choice:id,text,type,options|scale:id,text,type,min,max,labels,report),extras|pair:id,text,type,parts)$/;

/**
 * Give a row for each question: by the hash of what people see of it if it is repeated. No text stays on the device.
 * @param {T.Manifest} manifest @returns {Promise<T.Row[]>}
 */
export function rowsOf({ questions }) {
  return Promise.all(
    questions.map(async (question) => {
      const { type, spelling, design } = question;
      const identity = identityOf(question);
      /** @remarks A field that nobody looks at would be a change that nobody sees. */
      need(!identity || SHAPE.test(`${type}:${Object.keys(JSON.parse(spelling))}`), "a question has other fields");
      const hash = identity && (await crypto.subtle.digest("SHA-256", new TextEncoder().encode(identity)));
      return [hash ? toHex(hash) : "", `${design.epsilon}`, design.size ?? 1];
    }),
  );
}

/**
 * Weigh a wave beside the earlier ones of its panel; refuse one with which they would cost too much.
 * @param {T.Manifest} manifest @param {readonly T.Row[]} rows of its questions
 * @param {string} key the publisher's: under another one the draws are new
 * @param {readonly T.Entry[]} waves @param {Epsilon} [limit] else 8, or twice the cost of the first wave
 * @returns {T.Wave}
 */
export function weigh({ survey, panel, questions, epsilon }, rows, key, waves, limit) {
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
  return { kept: { panel: `${panel}`, first, most: `${epsilon}`, rows: lasting }, isKnown: known.size > 0, news };
}

/** @param {Pick<T.Entry, "key" | "rows">} wave @returns {[string, T.Row][]} */
function rowsByKey({ key, rows = [] }) {
  return rows.map((row) => [key + row[0], row]);
}

/** @param {readonly T.Row[]} rows */
export function total(rows) {
  return rows.reduce((sum, [, epsilon]) => sum.plus(Epsilon.parse(epsilon)), new Epsilon(0n));
}
