/**
 * @file What the page makes of a manifest: which questions follow which answers, and the texts in every language.
 *
 * The law here: each question can be answered in every way that it offers, and no two ways look alike. Whatever could
 * not be sent would be told by a report that is missing.
 */
import { need } from "./errors.js";
import { areToldApart, isText } from "./texts.js";

/** @param {T.Fields} manifest */
export function checkShown({ title, consent, panel, ask, questions, translations }) {
  const names = questions.map((/** @type {T.Question} */ { design }) => design.name);
  const isAsked = ask === null ? names[0] : Number.isInteger(ask) && ask > 0 && !names.includes("warner");
  need(isAsked && (panel === null ? !names.includes("repeated") : isText(panel)), "an answer is unknown");
  /** @type {T.Question[]} */
  const asked = questions.flatMap((/** @type {T.Question} */ question) => [question, ...(question.parts ?? [])]);
  const own = { title, consent, questions: Object.fromEntries(asked.map((question) => [question.id, question])) };
  need(Object.keys(own.questions).length === asked.length, "two answers are one");
  checkOrder(asked);
  checkTexts(own, asked);
  for (const texts of Object.values(translations)) checkTexts(texts, asked);
}

/** @remarks Who is not asked must be able to say so. @param {readonly T.Question[]} asked */
function checkOrder(asked) {
  for (const [i, { when, extras }] of asked.entries()) {
    if (!when) continue;
    const [parent, answers] = when;
    const known = asked.slice(0, i).find(({ id }) => id === parent)?.answers ?? [];
    const isKnown = answers.length > 0 && answers.every((answer) => known.includes(answer));
    need(isKnown && extras.includes("does_not_apply"), "an answer is unknown");
  }
}

/** @param {T.Fields} texts @param {readonly T.Question[]} asked */
function checkTexts({ title, consent, questions }, asked) {
  for (const { id, options, labels } of asked) {
    const { text, options: names = options, labels: ends = labels } = questions[id];
    const [all, some] = [names, ends].map((list) => list.map((/** @type {any} */ item) => item.text ?? item));
    const isWhole = all.length === options.length && some.length === labels.length && areToldApart(all);
    need(isWhole && [title, consent, text, ...some].every(isText), "a text is missing, or there twice");
  }
}
