/** @file What became of the report, and what was in it. */
import { categoriesOf, namesOf } from "./answers.js";
import { clock } from "./moment.js";
import { place, stamp } from "./screen.js";
import { sentOf } from "./sentences.js";

/** @import { Asked } from "./types.js" */
/** @import { Manifest, Receipt } from "../src/types.js" */

/** @param {Manifest} manifest @param {Receipt} made @param {string | null} body @param {() => void} retry */
export function receipt({ questions, ask }, { status, problem = "", retryAfter: seconds, ...made }, body, retry) {
  const closed = problem.endsWith(":survey-closed") && "closed";
  const taken = body ? "sent" : "already";
  const waiting = status === "held" ? status : seconds && "busy";
  const ended = closed || waiting || (/queued|rejected/.test(status) ? status : taken);
  const { answers = {} } = JSON.parse(body ?? "{}");
  return stamp(ended, {
    ...made,
    problem,
    seconds,
    details: { hidden: !body },
    body: body ?? "",
    draws: questions.map((question) => explain(question, `${answers[question.id]}`)),
    blanks: { hidden: !ask },
    retry,
  }).copy;
}

/** @param {Asked} question @param {string} draw */
function explain(question, draw) {
  return stamp("draw", { question: question.id, phrase: sentOf(question), draw: decode(question, draw) }).copy;
}

/** Name what a draw stands for: one answer, or ticks. @param {Asked} question @param {string} draw */
function decode(question, draw) {
  const { name, picks } = question.design;
  const drawn = categoriesOf(question).filter(([value], i) =>
    picks === 1 ? question.code(value) === Number.parseInt(draw, 16) : name === "ball" && draw[i] === "1",
  );
  return namesOf(drawn);
}

/** Show the time that is left, as long as the screen has a place for it. @param {number} until */
export function countDown(until) {
  const box = place.querySelector("[role=timer]");
  if (!box) return;
  const seconds = Math.max(0, Math.ceil((until - clock()) / 1000));
  box.textContent = `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, "0")}`;
  setTimeout(countDown, 1000, until);
}
