/** The way through the survey: one question per screen, then all answers. Questions that do not apply are not shown. */
import { nameAnswer } from "./answers.js";
import { fieldOf } from "./fields.js";
import { translate, words } from "./language.js";
import { markedSentence, show, stamp } from "./screen.js";
import { oddsOf } from "./sentences.js";
import { goTo, retreat } from "./trail.js";

/** @import { Answer, Attach, Item, Path } from "./types.js" */

// The only raw answers: never stored, never sent.
/** @type {Map<string, Answer>} */
export const answers = new Map();

/** Return the questions that apply. @param {Path} path */
function applicable({ items }) {
  return items.filter(({ part: { id, when } }) => {
    if (!when) return true;
    const [parent, opening] = when;
    const applies = [answers.get(parent)].flat().some((answer) => opening.includes(answer));
    // What is not shown is reported too: nobody sees who was asked.
    if (!applies) answers.set(id, "does_not_apply");
    else if (answers.get(id) === "does_not_apply") answers.delete(id);
    return applies;
  });
}

/** @param {Item} item */
function isOpen({ part }) {
  return answers.get(part.id) === undefined;
}

/** Go on to a question. @param {Path} path @param {Item} item */
export function ask(path, item) {
  goTo(path.items.indexOf(item) + 1, () => show(() => questionScreen(path, item)));
}

/** @param {Path} path @param {Item} item */
function questionScreen(path, item) {
  const { part, question } = item;
  const { items } = path;
  const [number, all] = [items.indexOf(item) + 1, items.length];
  const parts = stamp("asked", {
    number,
    all,
    bar: { max: all, value: number },
    heading: translate(part).text,
    odds: markedSentence(oddsOf(question).parts),
    back: retreat,
  });
  const isLast = () => applicable(path).every((each) => each === item || !isOpen(each));
  attach(parts, part, {
    keep: (answer) => answers.set(part.id, answer),
    name: (answer) => (answer?.length === 0 ? words.none : isLast() ? words.to_review : words.next),
    next: () => {
      const left = applicable(path);
      const following = left[left.indexOf(item) + 1];
      if (following && left.some(isOpen)) ask(path, following);
      else goTo(path.items.length + 1, () => review(path));
    },
  });
  return parts.copy;
}

/**
 * Connect a field to its screen: keep what is chosen, go on with an answer, else say what is missing. The message is
 * not a link to a fragment: the address never changes.
 * @type {Attach}
 */
export function attach({ group, error, link, onward }, part, { keep, name, next }) {
  const { copy, target, marked = group, missing, read } = fieldOf(part, answers.get(part.id));
  const mark = (/** @type {boolean} */ isMissing) => {
    onward.textContent = name(read());
    marked.ariaInvalid = `${isMissing}`;
    error.hidden = !isMissing;
  };
  group.append(copy);
  mark(false);
  link.textContent = missing;
  link.onclick = () => target.focus();
  group.oninput = () => {
    keep(read());
    mark(false);
  };
  onward.onclick = () => {
    keep(read());
    if (read() !== undefined) return next();
    mark(true);
    return error.focus();
  };
  group.onkeydown = (/** @type {any} */ { key, isComposing, target }) => {
    if (key === "Enter" && !isComposing && target.matches("input")) onward.click();
  };
}

/** Show all answers, or the first question that has none: a changed answer may have opened one. @param {Path} path */
function review(path) {
  const open = applicable(path).find(isOpen);
  show(() => (open ? questionScreen(path, open) : reviewScreen(path)));
}

/** @param {Path} path */
function reviewScreen(path) {
  const { items, minutes, send } = path;
  const list = applicable(path).map((item) => {
    const { part } = item;
    const [text, answer] = [translate(part).text, nameAnswer(part, answers.get(part.id))];
    const number = items.indexOf(item) + 1;
    return stamp("answered", { text, answer, number, change: () => ask(path, item) }).copy;
  });
  const later = { hidden: !minutes };
  return stamp("review", { list, later, minutes: Math.ceil(minutes), back: retreat, send }).copy;
}
