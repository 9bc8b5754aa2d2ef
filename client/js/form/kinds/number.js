/** A number in a public range, written with a point or a comma. */
import { input, make } from "../questions.js";
import { extrasOf } from "./choices.js";
import { numberBetween, writeNumber } from "./texts.js";

/** @import { Choice, MakeScreen } from "../types.js" */

// "1,500" may be one and a half or fifteen hundred: it is not guessed.
const NUMBER = /^[-−]?(?:\d+(?:\.\d*)?|\.\d+|(?!0*[1-9]\d*,\d{3}$)\d+,\d+)$/;

/** @type {MakeScreen} */
export function makeScreen(part) {
  const [min, max] = [String(part.min), String(part.max)];
  const extras = extrasOf(part);
  return {
    missing: writeNumber(min, max),
    attributes: { role: "group" },
    field: (chosen) => {
      // The keys for decimals have no minus on some phones.
      const inputMode = min.startsWith("-") ? "text" : "decimal";
      const box = Object.assign(input("text"), {
        inputMode,
        spellcheck: false,
        value: isExtra(chosen) ? "" : (chosen?.[1] ?? ""),
      });
      const label = make("label", {}, numberBetween(min, max), box);
      const others = extras.map(([id]) => input("checkbox", chosen?.[0] === id));
      // "Prefer not to say" and the like stand in the place of a number.
      box.oninput = () => {
        for (const other of others) other.checked = false;
      };
      for (const other of others) {
        other.oninput = () => {
          for (const each of others) each.checked = each === other && other.checked;
          if (other.checked) box.value = "";
        };
      }
      const labels = others.map((other, i) => make("label", { class: "choice" }, other, extras[i][1]));
      const alone = () => extras.find((_, i) => others[i].checked);
      const read = () => alone() ?? readNumber(box.value, Number(min), Number(max));
      return { nodes: [label, ...labels], target: box, marked: box, read };
    },
  };
}

/** @param {Choice} [chosen] */
function isExtra([value] = [null, ""]) {
  return typeof value === "string";
}

/** @param {string} text @param {number} min @param {number} max @returns {Choice | undefined} */
function readNumber(text, min, max) {
  const written = text.trim();
  const digits = NUMBER.test(written) ? written.replace("−", "-").replace(",", ".") : "none";
  const value = Number(digits);
  // Very small numbers stay as they were written, without an exponent.
  return value >= min && value <= max ? [value, /e/.test(String(value)) ? digits : String(value)] : undefined;
}
