/** What became of the report, and what was in it. */
import { categoriesOf, namesOf } from "./answers.js";
import { clock } from "./departure.js";
import { place, stamp } from "./screen.js";
import { sentOf } from "./sentences.js";

/** @import { Manifest } from "../src/manifest.js" */
/** @import { AskedQuestion, Receipt } from "../src/types.js" */

/** @param {Manifest} manifest @param {Receipt} receipt @param {string | null} body @param {() => void} retry */
export function outcomeScreen({ questions, ask }, receipt, body, retry) {
  const { survey, id, problem = "", retryAfter } = receipt;
  const { answers: draws = {} } = JSON.parse(body ?? "{}");
  return stamp(endingOf(receipt, body), {
    survey,
    id,
    problem,
    seconds: retryAfter,
    details: { hidden: !body },
    body: body ?? "",
    draws: questions.map((question) => explain(question, `${draws[question.id]}`)),
    blanks: { hidden: !ask },
    retry,
  }).copy;
}

/** Return the template of an ending. @param {Receipt} receipt @param {string | null} body */
function endingOf({ status, problem = "", retryAfter }, body) {
  if (problem.endsWith(":survey-closed")) return "closed";
  if (status === "held") return status;
  if (retryAfter) return "busy";
  if (status === "queued" || status === "rejected") return status;
  return body ? "sent" : "already";
}

/** @param {AskedQuestion} question @param {string} draw */
function explain(question, draw) {
  return stamp("draw", { question: question.id, phrase: sentOf(question), draw: nameDraw(question, draw) }).copy;
}

/**
 * Return the names of the answers that a draw stands for, if it stands for single ones.
 * @param {AskedQuestion} question @param {string} draw
 */
function nameDraw(question, draw) {
  const { design, answers } = question;
  return namesOf(categoriesOf(question).filter(([value]) => design.names(draw, answers.indexOf(value))));
}

/** Show the remaining time while the screen has a place for it. @param {number} until */
export function countDown(until) {
  const box = place.querySelector("[role=timer]");
  if (!box) return;
  const seconds = Math.max(0, Math.ceil((until - clock()) / 1000));
  box.textContent = `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, "0")}`;
  setTimeout(countDown, 1000, until);
}
