/**
 * @file What a device sends and how often it is true. The label says the same (respond/sentences.py of the server).
 */
import { count, fill, words } from "./language.js";

/** @import { Asked, Odds } from "./types.js" */

/**
 * Put the odds into whole numbers out of 100. "At most 100 times" is true as it is.
 * @param {Asked} question @returns {Odds}
 */
export function oddsOf(question) {
  const design = question.design.inner ?? question.design;
  const one = design.picks === 1 ? "one" : "set";
  const extras = design.extras ? "_extras" : "";
  const kinds = {
    projective: "group",
    ball: design.asked === 1 ? "tick" : "ticks",
    padded: `padded_${one}`,
    wave: `place${extras}`,
    channel: `mean${extras}`,
    laplace: "mean",
    repeated: "lasting",
  };
  const text = words[`odds_${Object(kinds)[question.design.name] ?? one}`];
  const isMean = !design.timesIn100;
  const times = isMean ? guessed(design.odds) : design.timesIn100;
  const [kept, other] = [times, 100 - times].map((n) => (isMean ? fill(words.count, { n }) : count(n)));
  return [times, fill(text, { ...question.design, ...valuesOf(question, design), kept, other }).split("|")];
}

/** Say what is on the wire. @param {Asked} question */
export function sentOf(question) {
  const { name, inner } = question.design;
  const design = inner ?? question.design;
  const kinds = {
    warner: "bit",
    projective: "group",
    ball: design.asked < design.options ? "ticks_some" : "ticks",
    channel: "value",
    laplace: "place",
    wave: "place",
  };
  const text = words[`sent_${Object(kinds)[name] ?? (design.picks === 1 ? "index" : "set")}`];
  return fill(text, { ...valuesOf(question, design), ...(inner && { answers: words.blanks }) });
}

/**
 * Give what the sentences need of the integers of a design.
 * @type {(question: Asked, design: any) => Record<string, unknown>}
 */
function valuesOf({ type, min, max }, design) {
  const { size, asked, agree, options, inside, outside, last } = design;
  const held = [inside, inside + outside];
  const enough = agree < asked ? "some" : asked === 2 ? "both" : "all";
  const answer = type === "pair" ? "pair" : "answer";
  return {
    ...design,
    min,
    max,
    size: size ?? Number(last) + 1,
    about: share(size, held),
    near: share(50, [inside, design.bins]),
    blind: count(share(100, held)),
    yours: words[`your_${answer}`],
    answers: words[`${answer}s`],
    rest: fill(size > 2 ? words.rest_many : words.rest_one, { others: size - 1 }),
    some: fill(asked < options ? words.ticks_some : words.ticks_each, design),
    enough: fill(words[`enough_${enough}`], design),
  };
}

/** Give a share of a number, rounded. @param {number} number @param {number[]} share */
function share(number, [part, whole]) {
  return Math.floor((2 * number * part + whole) / (2 * whole));
}

/** A guess between two equally likely answers is right with probability a/(a + b) at most. @param {string} odds */
function guessed(odds) {
  const [a, b] = odds.split(":").map(BigInt);
  return Number((100n * a + a + b - 1n) / (a + b));
}
