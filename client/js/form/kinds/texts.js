/** What is said about questions of every type. The label says the same (respond/sentences.py of the server). */
import { count, odds as plainOdds } from "../texts.js";

/** @import { Asked, Odds } from "../types.js" */

/** @type {Record<string, string>} */
export const extraWords = { decline: "Prefer not to say", does_not_apply: "Does not apply" };
export const none = "None of these";
export const chooseOne = "Choose an answer to go on.";
export const chooseAny = "Choose all that are true.";

/** @param {number} most */
export function chooseAtMost(most) {
  return most === 1 ? "Choose one, or none." : `Choose at most ${most}.`;
}

/** @param {number} most */
export function tooMany(most) {
  return `Choose at most ${most} to go on.`;
}

/** @param {string} min @param {string} max */
export function numberBetween(min, max) {
  return `A number from ${min} to ${max}`;
}

/** @param {string} min @param {string} max */
export function writeNumber(min, max) {
  return `Write a number from ${min} to ${max} to go on, in digits, without marks between thousands.`;
}

/** @param {number} all */
export function searchFor(all) {
  return `Search the ${write(all)} answers`;
}

/** @param {number} all @param {number} shown */
export function found(all, shown) {
  if (all === 0) return "No answer matches.";
  return all === shown ? `${shown} shown.` : `The first ${shown} of ${write(all)} are shown.`;
}

export const noteOnWaves = "All waves together keep these odds; a changed answer costs them again and may show.";
export const blanks = "Dashes stand for the questions that your device left out.";
export const noAdmission =
  "Nothing else. None of it is an admission: devices of people with other answers send the same.";

/** @param {number} some @param {number} all */
export function noteOnAsking(some, all) {
  return `Your device reports on ${some} of the ${all} questions, chosen at random; the report shows which.`;
}

/** Say what a device sends and how often it is true: how many dots, then the sentence in parts. @param {Asked} question @returns {Odds} */
export function odds(question) {
  const { design, type } = question;
  return ODDS[design.constructor.name](design, type === "pair" ? "answer pair" : "answer", question);
}

/** Say what is on the wire. @param {Asked} question */
export function sent({ design, type }) {
  return SENT[design.constructor.name](design, type === "pair" ? "answer pairs" : "answers");
}

/** @type {Record<string, (design: any, answer: string, question: Asked) => Odds>} */
const ODDS = {
  Warner: ({ timesIn100 }) => plainOdds(timesIn100),
  Subset: (design, answer) => (design.picks === 1 ? one(design, answer) : ofSet(design, plural(answer))),
  Projective: ({ timesIn100, size, ...space }, answer) => {
    const share = shareOf(space);
    const start = `Your device sends a number that stands for about ${write(round(size, share))} of the ${write(size)} ${plural(answer)}, `;
    return [timesIn100, start, ...inSet(timesIn100, share)];
  },
  Ball: ball,
  Padded: ({ most, inner }) => {
    const start = "Your device picks one of your ticks, or a blank, and sends ";
    const { timesIn100: times, size, picks } = inner;
    const fill = ` Blanks fill your ticks up to ${most}.`;
    if (picks === 1) return [times, start, `that one ${count(times)} in 100, `, others(size, times), fill];
    return [
      times,
      `${start}a set of ${picks} of the ${size} options and blanks, `,
      ...inSet(times, [picks, size], "that one"),
      fill,
    ];
  },
  Channel: mean,
  Laplace: mean,
  Wave: ({ timesIn100: times, bins, extras, inside, outside }, _, { min, max }) => {
    const near = round(100, [inside, 2 * bins]);
    const blind = round(100, [inside, inside + outside]);
    const more = extras ? " and on its stretch for other answers" : "";
    return [
      times,
      `Your device sends a random place on the line from ${min} to ${max}${more}, `,
      `near your answer ${count(times)} in 100, `,
      `elsewhere ${count(100 - times)}.`,
      ` Near is within ${near} % of the line; a place drawn blindly would be near ${count(blind)}.`,
    ];
  },
  Repeated: ({ permanent: { timesIn100: times, size } }) => [
    times,
    "Your device draws one lasting random answer, ",
    `your real one ${count(times)} in 100, `,
    others(size, times),
    " In each wave it sends a new random draw of that answer.",
  ],
};

/** @type {Record<string, (design: any, answers: string) => string>} */
const SENT = {
  Warner: () => "1 for yes or 0 for no.",
  Subset: subset,
  Projective: ({ size, ...space }, answers) =>
    `a number that stands for about ${write(round(size, shareOf(space)))} of the ${write(size)} ${answers}.`,
  Ball: ({ options, asked }) =>
    `for each of the ${options} options, 1 for a tick or 0 for none${asked < options ? ", or - if it was left out" : ""}.`,
  Padded: ({ inner }) => subset(inner, "options and blanks"),
  Channel: ({ values }) => `one of ${values.length} numbers of a public table.`,
  Laplace: ({ steps, reach }) => `one of ${write(steps + 2 * reach + 1)} places on a line.`,
  Wave: ({ inside, outside }) => `one of ${write(inside + outside)} places on a line.`,
  Repeated: ({ instant }, answers) => subset(instant, answers),
};

/** @type {(design: any, answer: string) => Odds} */
function one({ timesIn100: times, size }, answer) {
  return [times, "Your device sends ", `your real ${answer} ${count(times)} in 100, `, others(size, times)];
}

/** @type {(design: any, answers: string) => Odds} */
function ofSet({ timesIn100: times, size, picks }, answers) {
  return [
    times,
    `Your device sends a set of ${write(picks)} of the ${write(size)} ${answers}, `,
    ...inSet(times, [picks, size]),
  ];
}

/** @type {(design: any) => Odds} */
function ball({ timesIn100: times, options, asked, agree, inside }) {
  const some =
    asked === options ? `each of the ${options} options` : `${asked} of the ${options} options, chosen at random`;
  const start = `Your device sends a tick or none for ${some}: `;
  if (asked === 1)
    return [times, start, `as you chose ${count(times)} in 100, `, `the opposite ${count(100 - times)}.`];
  const all = asked === 2 ? "both" : `all ${asked}`;
  const enough = agree === asked ? all : `at least ${agree}`;
  return [
    times,
    start,
    `${enough} as you chose ${count(times)} in 100, `,
    `fewer ${count(100 - times)}.`,
    ` Drawn blindly, ${enough} would be so ${count(round(100, [inside, 2 ** asked]))}.`,
  ];
}

/** A guess between two equally likely answers is right with probability a/(a + b) at most. @type {(design: any) => Odds} */
function mean({ odds, extras }) {
  const [a, b] = odds.split(":").map(BigInt);
  const times = Number((100n * a + a + b - 1n) / (a + b));
  return [
    times,
    `Your device sends ${extras ? "at random a number around yours, or whether you gave one" : "a random number around yours"}. A guess between two equally likely answers is then `,
    `right at most ${times} times in 100, `,
    `wrong at least ${100 - times} times.`,
  ];
}

/** @param {number} times @param {number[]} share @param {string} what */
function inSet(times, share, what = "your real one") {
  const blind = ` A set drawn blindly would hold it ${count(round(100, share))}.`;
  return [`with ${what} ${count(times)} in 100, `, `without it ${count(100 - times)}.`, blind];
}

/** @param {number} size @param {number} times */
function others(size, times) {
  return `${size === 2 ? "the other one" : `one of the ${write(size - 1)} others`} ${count(100 - times)}.`;
}

/** @type {(design: any, answers: string) => string} */
function subset({ size, picks }, answers) {
  return picks === 1
    ? `the number of one of the ${write(size)} ${answers}, counted from 0.`
    : `a set of ${write(picks)} of the ${write(size)} ${answers}, one bit for each.`;
}

/** @param {string} answer */
function plural(answer) {
  return `${answer}s`;
}

/** @param {{ inside: number, outside: number }} space */
function shareOf({ inside, outside }) {
  return [inside, inside + outside];
}

/** Give a share of a number, rounded. @param {number} number @param {number[]} share */
function round(number, [part, whole]) {
  return Math.floor((2 * number * part + whole) / (2 * whole));
}

/** @param {number} number */
function write(number) {
  return number.toLocaleString("en");
}
