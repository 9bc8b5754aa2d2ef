/**
 * Manifests of format 2: every type of question, surveys that ask some of their questions, and repeated waves.
 *
 * No page loads this before a manifest needs it, and of the designs only those that the manifest names. The laws here:
 * which questions a device answers is drawn without looking at the answers, and shows in the report as blanks; the
 * order of the draws is that of the manifest.
 */
import { checkKeys, checkList, checkName, Epsilon, need, Warner } from "./core.js";
import { readQuestion } from "./questions.js";
import { choose } from "./uniform.js";

/** @import { Charge, Content, Design } from "./types.js" */

const KEYS = "format,survey,title,consent,population,opens,closes,epsilon,ask,panel,questions";

/** The closed table of what can be loaded. @type {Map<string, () => Promise<{ read(fields: unknown): Design }>>} */
const DESIGNS = new Map(
  Object.entries({
    warner: async () => Warner,
    subset: async () => (await import("./designs/subset.js")).Subset,
    projective: async () => (await import("./designs/projective.js")).Projective,
    ball: async () => (await import("./designs/ball.js")).Ball,
    padded: async () => (await import("./designs/padded.js")).Padded,
    channel: async () => (await import("./designs/channel.js")).Channel,
    wave: async () => (await import("./designs/wave.js")).Wave,
    laplace: async () => (await import("./designs/laplace.js")).Laplace,
    repeated: async () => (await import("./designs/repeated.js")).Repeated,
  }),
);

/** Read what is special to this format. @param {unknown} fields @returns {Promise<Content>} */
export async function read(fields) {
  const { ask, panel, questions: list } = checkKeys(fields, KEYS);
  const questions = await Promise.all(checkList(list, 1, 200).map(readWithDesign));
  const isPlain = questions.map(({ design }) => design instanceof Warner);
  need(ask !== null || panel !== null || isPlain.includes(false), "a plain survey is written in format 1");
  checkAsk(ask, questions.length);
  need(
    ask === null || !isPlain.includes(true),
    "a survey that asks some of its questions needs draws that can be blank",
  );
  const repeats = questions.some(({ design }) => design.permanent);
  need(repeats === (panel !== null), "a survey has a panel if, and only if, it has repeated questions");
  return {
    questions,
    ids: questions.flatMap(({ ids }) => ids),
    ask,
    panel: panel === null ? null : checkName(panel),
    draw: (source, codes, recall) => {
      need(!repeats || recall, "a survey in waves needs the memory of a device: load it with client.survey");
      const memory = recall?.(source);
      const asked = ask === null ? [...questions.keys()] : choose(source, questions.length, ask);
      const draws = questions.map(({ id, design }, i) =>
        asked.includes(i) ? design.draw(source, codes[i], memory?.get(id)) : String(design.blank),
      );
      const costs = questions.flatMap(({ id, design: { epsilon } }, i) =>
        asked.includes(i) ? [{ epsilon, tag: memory?.get(id)?.[Number(codes[i])].tag }] : [],
      );
      return [draws, chargeOf(costs)];
    },
  };
}

/** @param {any} fields */
async function readWithDesign(fields) {
  const load = DESIGNS.get(Object(Object(fields).mechanism).name);
  need(load, "a question's mechanism is unknown: update Hushpoll");
  return readQuestion(fields, (await load()).read(fields.mechanism));
}

/** @param {unknown} ask @param {number} questions */
function checkAsk(ask, questions) {
  const isCount = Number.isInteger(ask) && Number(ask) >= 1 && Number(ask) < questions;
  need(ask === null || isCount, "ask is a whole number below the number of questions");
}

/**
 * Charge every question that was asked; a remembered draw only if no entry has paid for it yet.
 * @param {{ epsilon: Epsilon, tag: string | undefined }[]} costs
 * @returns {Charge}
 */
function chargeOf(costs) {
  return (entries) => {
    const paid = new Set(entries.flatMap(({ memos = [] }) => memos));
    const due = costs.filter(({ tag }) => tag === undefined || !paid.has(tag));
    const epsilon = due.reduce((sum, cost) => sum.plus(cost.epsilon), new Epsilon(0n));
    const memos = due.flatMap(({ tag }) => tag ?? []);
    return { epsilon: String(epsilon), ...(memos.length > 0 && { memos }) };
  };
}
