/**
 * @file The first screen: consequences before process, odds before consent. And a harmless question to try it with.
 */
import { SPAN } from "../src/epsilon.js";
import { bernoulli, SecureBytes } from "../src/randomness.js";
import { fill, textsOf, words } from "./language.js";
import { ask, attach } from "./questions.js";
import { place, sentence, show, stamp } from "./screen.js";
import { oddsOf } from "./sentences.js";

/** @import { Path } from "./types.js" */
/** @import { Manifest } from "../src/types.js" */

const HARMLESS = { type: "yes_no", extras: [] };

/**
 * At most 120 words: a long sentence about the odds, or about some questions or waves, tells the process itself.
 * @param {Manifest} manifest @param {Path} path @returns {Node}
 */
export function first(manifest, path) {
  const { epsilon, questions, panel } = manifest;
  const { title, consent } = textsOf(manifest);
  const least = questions.reduce((a, b) => (b.design.epsilon.exceeds(a.design.epsilon) ? b : a));
  const { band } = least.design.epsilon;
  const [times, [lead, real, other]] = oddsOf(least);
  const isSame = questions.every((question) => `${oddsOf(question)}` === `${oddsOf(least)}`);
  /** @remarks Many answers that say the same are one answer, with all the odds together. */
  const rows = /^l/.test(epsilon.band) && /strong/.test(band) ? "moderate" : band.split(" ")[0];
  const total = (manifest.ask ?? questions.length) > 1 ? words.total_all : words.total_one;
  const bands = { each: words.bands[band], band: words.bands[epsilon.band], epsilon: roundedUp(epsilon) };
  const { copy, dots } = stamp("first", {
    title,
    rows: stamp(rows).copy,
    process: { hidden: manifest.ask || panel || !words.odds_one.startsWith(lead) },
    asking: { hidden: !manifest.ask },
    ask: manifest.ask,
    all: questions.length,
    waves: { hidden: !panel },
    memory: { hidden: path.wave?.isKnown ?? true },
    changed: { hidden: !path.wave?.isKnown || !path.wave.news.length },
    news: path.wave?.news.length,
    odds: sentence([(isSame ? "" : words.least) + lead, real, other]),
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

/** Write two decimals. @param {{ units: bigint }} epsilon */
function roundedUp({ units }) {
  return (Number((units + 10n ** 18n - 1n) / 10n ** 18n) / 100).toFixed(2);
}

/**
 * Draw twenty times for an answer that nobody hides. Nothing of it is kept.
 * @param {number} times in 100, as the first screen says @param {() => void} back
 */
function practise(times, back) {
  const source = new SecureBytes();
  show(() => {
    const { copy, ...parts } = stamp("practice", { back });
    const next = () => {
      const draws = Array.from({ length: 20 }, () => bernoulli(source, (SPAN * BigInt(times)) / 100n));
      const kept = draws.filter(Boolean).length;
      const result = sentence(fill(words.practice_result, { kept, other: 20 - kept }).split("|"));
      parts.bar.replaceChildren(...draws.map((draw, turn) => mark(draw === 1, turn)));
      parts.status.replaceChildren(stamp("drawn", { result }).copy);
    };
    attach(parts, HARMLESS, { keep: () => {}, name: () => words.practice_draw, next });
    return copy;
  });
}
