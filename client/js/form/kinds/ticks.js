/** Any number of answers, or at most some: boxes to tick. None ticked is an answer too, and the button says so. */
import { input, make } from "../questions.js";
import { choicesOf, extrasOf } from "./choices.js";
import { chooseAny, chooseAtMost, none, tooMany } from "./texts.js";

/** @import { Choice, MakeScreen } from "../types.js" */

/** @type {MakeScreen} */
export function makeScreen(part) {
  const [choices, extras] = [choicesOf(part), extrasOf(part)];
  const most = part.most ?? choices.length;
  return {
    missing: tooMany(most),
    attributes: { role: "group" },
    field: (chosen, onward) => {
      const goOn = onward.textContent;
      const isTicked = ticked(chosen);
      const boxes = [...choices, ...extras].map((choice) => input("checkbox", isTicked(choice)));
      const [options, others] = [boxes.slice(0, choices.length), boxes.slice(choices.length)];
      const update = () => {
        onward.textContent = boxes.some(({ checked }) => checked) ? goOn : none;
      };
      for (const box of boxes) {
        box.oninput = () => {
          // "Prefer not to say" and the like stand alone.
          const rest = others.includes(box) ? boxes : others;
          for (const other of box.checked ? rest : []) other.checked = other === box;
          update();
        };
      }
      update();
      const labels = boxes.map((box, i) => make("label", { class: "choice" }, box, [...choices, ...extras][i][1]));
      const hint = make("p", {}, part.most ? chooseAtMost(most) : chooseAny);
      const alone = () => extras.find((_, i) => others[i].checked);
      const read = () => alone() ?? join(choices.filter((_, i) => options[i].checked), most); // biome-ignore format: one line
      return { nodes: [hint, ...labels], target: boxes[0], read };
    },
  };
}

/** Tell which boxes an answer ticks. @param {Choice} [chosen] @returns {(choice: Choice) => boolean} */
function ticked([value] = [null, ""]) {
  return ([id]) => (Array.isArray(value) ? value.includes(id) : value === id);
}

/** Give several choices as one. @param {Choice[]} chosen @param {number} most @returns {Choice | undefined} */
function join(chosen, most) {
  if (chosen.length > most) return undefined;
  return [chosen.map(([id]) => id), chosen.map(([, text]) => text).join(", ") || none];
}
