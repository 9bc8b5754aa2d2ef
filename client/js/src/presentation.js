/**
 * What a page shows of a survey: which questions follow which answers, and the texts in every language.
 *
 * The rule here: each question can be answered in every way that it offers, and no two ways look alike. An
 * answer that could not be sent would be revealed by the missing report.
 */
import { isText } from "./checks.js";
import { need } from "./errors.js";
import { dimensionsOf } from "./groups.js";
import { areToldApart } from "./texts.js";

/** @import { Manifest } from "./manifest.js" */
/** @import { AnyQuestion, Fields } from "./types.js" */

/** @param {Manifest} manifest */
export function checkPresentation({ title, consent, questions, translations, about = {}, groups }) {
  const asked = withParts(questions);
  /** @type {Fields} */
  const own = { title, consent, questions: Object.fromEntries(asked.map((question) => [question.id, question])) };
  need(Object.keys(own.questions).length === asked.length);
  const links = [about.contact, about.privacy, about.link];
  need(
    links.every((link) => /^(https:\/\/|mailto:|undefined$)/.test(`${link}`)),
    "a link is not safe",
  );
  for (const [i, question] of asked.entries()) checkCondition(question, asked.slice(0, i));
  for (const texts of [own, ...Object.values(translations)]) {
    checkTexts(texts, asked);
    for (const { labels } of dimensionsOf(groups)) {
      const shown = labels.map(([id, text]) => texts.groups?.[id] ?? text);
      need(areToldApart(shown), "two groups look the same");
    }
  }
}

/**
 * Return everything that has a text: questions, and pairs before their parts.
 * @param {readonly AnyQuestion[]} questions @returns {AnyQuestion[]}
 */
export function withParts(questions) {
  return questions.flatMap((question) => [question, ...(question.parts ?? [])]);
}

/** @param {AnyQuestion} question @param {readonly AnyQuestion[]} earlier */
function checkCondition({ when, extras }, earlier) {
  if (!when) return;
  const [parent, answers] = when;
  const known = earlier.find(({ id }) => id === parent)?.answers ?? [];
  const isKnown = answers.length > 0 && answers.every((answer) => known.includes(answer));
  // Without the extra, the report of a device that did not show the question would reveal that.
  need(isKnown && extras.includes("does_not_apply"));
}

/** @param {Fields} texts in one language @param {readonly AnyQuestion[]} asked */
function checkTexts({ title, consent, questions }, asked) {
  for (const { id, options, labels } of asked) {
    // Without options or labels, a translation shows those of the survey.
    const texts = { options, labels, ...questions[id] };
    const [optionTexts, labelTexts] = [texts.options.map(textOf), texts.labels.map(textOf)];
    const isWhole = optionTexts.length === options.length && labelTexts.length === labels.length;
    const areThere = [title, consent, texts.text, ...labelTexts].every(isText);
    need(isWhole && areThere && areToldApart(optionTexts), "a text is missing, or there twice");
  }
}

/** @param {any} item an option or a label, or its text in another language @returns {string} */
export function textOf(item) {
  return item.text ?? item;
}
