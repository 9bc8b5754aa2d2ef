/** The first screen: consequences before process, and the odds for those who ask. And a harmless question to try it with. */
import { bernoulli, SecureBytes, SPAN } from "../src/randomness.js";
import { fill } from "../src/sentences.js";
import { groupsIn, language, textsOf, words } from "./language.js";
import { ask, attach } from "./questions.js";
import { markedSentence, show, stamp } from "./screen.js";
import { oddsOf } from "./sentences.js";
import { goTo, retreat } from "./trail.js";

/** @import { Manifest } from "../src/manifest.js" */
/** @import { Path } from "./types.js" */

/** Of the reader's own time. */
const MOMENT = /** @type {const} */ ({ dateStyle: "long", timeStyle: "short" });
const HARMLESS = /** @type {any} */ ({ type: "yes_no", extras: [] });

/** @param {Manifest} manifest @param {Path} path @returns {Node} */
export function firstScreen(manifest, path) {
  const { epsilon, questions, panel, closes, about = {} } = manifest;
  const { organisation = "", contact = "", privacy = "", logo } = about;
  const { title, consent } = textsOf(manifest);
  const least = questions.reduce((a, b) => (b.design.epsilon.exceeds(a.design.epsilon) ? b : a));
  const { times, parts } = oddsOf(least);
  const { isKnown, newQuestions } = path.wave ?? { isKnown: true, newQuestions: [] };
  return stamp("first", {
    title,
    logo: logo && { src: logo, hidden: false },
    organisation,
    screens: path.items.length,
    minutes: Math.ceil(path.items.length / 4),
    until: closes ? fill(words.until, { moment: new Date(closes).toLocaleString(language, MOMENT) }, words) : "",
    contact: { hidden: !contact, href: contact },
    policy: { hidden: !privacy, href: privacy },
    // Questions with the same answer reveal it with all their odds combined.
    verdict: stamp(epsilon.band.split(" ")[0]).copy,
    asking: { hidden: !manifest.ask },
    ask: manifest.ask,
    all: questions.length,
    waves: { hidden: !panel },
    ...groupsIn(path.groups, manifest),
    memory: { hidden: isKnown },
    changed: { hidden: !isKnown || !newQuestions.length },
    news: newQuestions.length,
    least: { hidden: questions.length < 2 },
    odds: markedSentence(parts),
    dots: Array.from({ length: 100 }, (_, i) => mark(i < times)),
    practice: () => goTo(1, () => practise(times)),
    // The label in the same language.
    privacy: { search: `?lang=${language}${path.group ? `&group=${path.group}` : ""}` },
    consent,
    begin: () => ask(path, path.items[0]),
    decline: () => show(() => stamp("declined").copy),
  }).copy;
}

/** @param {boolean} isReal */
function mark(isReal) {
  return stamp(isReal ? "real" : "other").copy;
}

/** Draw twenty times for a harmless answer. None of it is stored. @param {number} times in 100 */
function practise(times) {
  const source = new SecureBytes();
  show(() => {
    const { copy, ...parts } = stamp("practice", { back: retreat });
    const next = () => {
      const draws = Array.from({ length: 20 }, () => bernoulli(source, (SPAN * BigInt(times)) / 100n));
      const same = draws.filter(Boolean).length;
      const texts = fill(words.practice_result, { kept: same, other: 20 - same }, words).split("|");
      parts.bar.replaceChildren(...draws.map((draw) => mark(draw === 1)));
      parts.status.replaceChildren(stamp("drawn", { result: markedSentence(texts) }).copy);
    };
    attach(parts, HARMLESS, { keep: () => {}, name: () => words.practice_draw, next });
    return copy;
  });
}
