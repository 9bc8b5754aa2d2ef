/** The first screen: consequences before process, odds before consent. And a harmless question to try it with. */
import { bernoulli, SecureBytes, SPAN } from "../src/randomness.js";
import { fill, textsOf, words } from "./language.js";
import { ask, attach } from "./questions.js";
import { markedSentence, place, show, stamp } from "./screen.js";
import { oddsOf } from "./sentences.js";

/** @import { Epsilon } from "../src/epsilon.js" */
/** @import { Manifest } from "../src/manifest.js" */
/** @import { Path } from "./types.js" */

const HARMLESS = /** @type {any} */ ({ type: "yes_no", extras: [] });
// The label has at most 120 words. A longer lead explains the process itself, and so do the notes.
const SHORT_LEAD = 6;

/** @param {Manifest} manifest @param {Path} path @returns {Node} */
export function firstScreen(manifest, path) {
  const { epsilon, questions, panel } = manifest;
  const { title, consent } = textsOf(manifest);
  const least = questions.reduce((a, b) => (b.design.epsilon.exceeds(a.design.epsilon) ? b : a));
  const { band } = least.design.epsilon;
  const { times, parts } = oddsOf(least);
  const [lead, real, other] = parts;
  const isShort = lead.trim().split(" ").length <= SHORT_LEAD;
  const isSame = questions.every((question) => `${oddsOf(question).parts}` === `${parts}`);
  // Many questions with the same answer reveal it with all their odds combined.
  const isWeaker = /little/.test(epsilon.band) && /strong/.test(band);
  const total = (manifest.ask ?? questions.length) > 1 ? words.total_all : words.total_one;
  const bands = { each: words.bands[band], band: words.bands[epsilon.band], epsilon: roundedUp(epsilon) };
  const { copy, dots } = stamp("first", {
    title,
    rows: stamp(isWeaker ? "moderate" : band.split(" ")[0]).copy,
    process: { hidden: manifest.ask || panel || !isShort },
    asking: { hidden: !manifest.ask },
    ask: manifest.ask,
    all: questions.length,
    waves: { hidden: !panel },
    memory: { hidden: path.wave?.isKnown ?? true },
    changed: { hidden: !path.wave?.isKnown || !path.wave.newQuestions.length },
    news: path.wave?.newQuestions.length,
    odds: markedSentence([(isSame ? "" : words.least) + lead, real, other]),
    dots: Array.from({ length: 100 }, (_, i) => mark(i < times)),
    total: fill(total, bands),
    practice: () => practise(times, path.back),
    privacy: { href: place.dataset.privacy },
    consent,
    begin: () => ask(path, path.items[0]),
  });
  dots.ariaLabel = words.picture + lead + real + other;
  return copy;
}

/** @param {boolean} isReal @param {number} [turn] */
function mark(isReal, turn) {
  return stamp(isReal ? "real" : "other", { mark: { style: `--turn: ${turn}` } }).copy;
}

/** Write two decimals. @param {Epsilon} epsilon */
function roundedUp({ units }) {
  return (Number((units + 10n ** 18n - 1n) / 10n ** 18n) / 100).toFixed(2);
}

/**
 * Draw twenty times for a harmless answer. None of it is stored.
 * @param {number} times in 100, as the first screen says @param {() => void} back
 */
function practise(times, back) {
  const source = new SecureBytes();
  show(() => {
    const { copy, ...parts } = stamp("practice", { back });
    const next = () => {
      const draws = Array.from({ length: 20 }, () => bernoulli(source, (SPAN * BigInt(times)) / 100n));
      const same = draws.filter(Boolean).length;
      const texts = fill(words.practice_result, { kept: same, other: 20 - same }).split("|");
      parts.bar.replaceChildren(...draws.map((draw, turn) => mark(draw === 1, turn)));
      parts.status.replaceChildren(stamp("drawn", { result: markedSentence(texts) }).copy);
    };
    attach(parts, HARMLESS, { keep: () => {}, name: () => words.practice_draw, next });
    return copy;
  });
}
