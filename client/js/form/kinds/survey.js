/**
 * Surveys with more than plain yes/no questions: one screen for each question, and for each part of a pair.
 *
 * The law here: every screen that a survey needs is loaded before the first one is shown, whatever will be answered.
 * The server announces the same modules (respond/scripts.py).
 */
import * as texts from "./texts.js";

/** @import { Manifest } from "../../src/manifest.js" */
/** @import { Asked, MakeScreen, Odds, Survey } from "../types.js" */

// More than fit on a phone are searched.
const MOST_SHOWN = 12;

/** The closed table of what can be loaded. @type {Record<string, () => Promise<{ makeScreen: MakeScreen }>>} */
const SCREENS = {
  choice: () => import("./choice.js"),
  list: () => import("./list.js"),
  ticks: () => import("./ticks.js"),
  number: () => import("./number.js"),
};

/** Prepare the screens of a survey, and all that is said about it. @param {Manifest} manifest @returns {Promise<Survey>} */
export async function prepare({ questions, ask, panel }) {
  const all = /** @type {readonly Asked[]} */ (questions);
  const items = await Promise.all(all.flatMap((question) => (question.parts ?? [question]).map(itemOf(question))));
  const notes = [...(ask ? [texts.noteOnAsking(ask, all.length)] : []), ...(panel ? [texts.noteOnWaves] : [])];
  const sent = all.map((question) => `${question.id}: ${texts.sent(question)}`);
  const remember = panel ? (await import("../../src/permanent.js")).remember : undefined;
  return { items, notes, sent: [...sent, ...(ask ? [texts.blanks] : []), texts.noAdmission], remember };
}

/** @param {Asked} question */
function itemOf(question) {
  const { design } = question;
  const [times, lead, real, other, ...more] = texts.odds(question);
  const odds = /** @type {Odds} */ ([times, lead, real, other]);
  return async (/** @type {Asked} */ part) => {
    const { makeScreen } = await SCREENS[screenOf(part)]();
    return { ...makeScreen(part), id: part.id, text: part.text, design, odds, more: more.join("") };
  };
}

/** Name the screen of a question. @param {Asked} part */
function screenOf({ type, options = [], min, max }) {
  if (type === "multi_choice") return "ticks";
  if (type === "number") return "number";
  const count = type === "scale" ? Number(max) - Number(min) + 1 : options.length;
  return count > MOST_SHOWN ? "list" : "choice";
}
