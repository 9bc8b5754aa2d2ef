/** The words of the page, in a language of the survey. Which one it is stays here: it is neither sent nor stored. */

import { labelsOf } from "../src/groups.js";

/** @import { Manifest } from "../src/manifest.js" */
/** @import { AnyQuestion, Translation, Words } from "../src/types.js" */

const root = document.documentElement;
/** The interface's words by the survey's languages. @type {Record<string, Words>} */
const wordsByLanguage = JSON.parse(document.getElementById("words")?.textContent ?? "");
/** What the outer page asks for (#lang=fr), else what the browser prefers, else the survey's own. @type {string} */
export let language =
  [location.hash.slice(6), ...navigator.languages]
    .flatMap((tag) => [tag, tag.split("-")[0]])
    .find((tag) => Object.hasOwn(wordsByLanguage, tag)) ?? root.lang;
export let words = wordsByLanguage[language];
/** The survey's words in other languages than its own. @type {Readonly<Record<string, Translation>>} */
let translations = {};

/** @param {string} tag @param {Pick<Manifest, "title" | "consent" | "translations">} [manifest] */
export function speak(tag, manifest) {
  language = tag;
  words = wordsByLanguage[tag];
  root.lang = words.lang;
  root.dir = words.direction;
  if (!manifest) return;
  translations = manifest.translations;
  document.title = textsOf(manifest).title;
}

/**
 * Return the survey's texts.
 * @param {Pick<Manifest, "title" | "consent">} manifest
 * @returns {Pick<Translation, "title" | "consent" | "thanks">}
 */
export function textsOf(manifest) {
  return translations[language] ?? manifest;
}

/**
 * Return what fills a sentence on the groups of a report, which is hidden if it has none.
 * @param {string} code @param {Pick<Manifest, "groups">} manifest
 */
export function groupsIn(code, manifest) {
  const groups = labelsOf(code, manifest.groups)
    .map(([id, text]) => translations[language]?.groups?.[id] ?? text)
    .join(" · ");
  return { groups, grouped: { hidden: !groups } };
}

/** Return a question with its texts. @param {AnyQuestion} part */
export function translate(part) {
  return { ...part, ...translations[language]?.questions[part.id] };
}
