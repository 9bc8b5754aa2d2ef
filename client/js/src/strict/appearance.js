/** The looks that a survey may have of its own: the logo of who asks, and one colour (hushpoll_shared/appearance.py). */
import { need } from "../errors.js";
import { check } from "./values.js";

// In bytes.
const LARGEST_LOGO = 10_000;
const LOGO = /^data:image\/(png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/;
// How the files of each type begin.
const STARTS = new Map([
  ["png", "\x89PNG\r\n\x1a\n"],
  ["jpeg", "\xff\xd8\xff"],
  ["webp", "RIFF"],
]);
const COLOUR = /^#[0-9a-f]{6}$/;
const PAPER = "#f3f6f6";
const LEAST_CONTRAST = 4.5;

/** Refuse what is not a small picture, in the one spelling of its bytes. @param {unknown} value */
export function checkLogo(value) {
  const [, type = "", bytes = ""] = LOGO.exec(check(value, LOGO, "a logo is a PNG, JPEG or WebP picture")) ?? [];
  const picture = atob(bytes);
  need(picture.startsWith(STARTS.get(type) ?? "?"), "a logo is a PNG, JPEG or WebP picture");
  need(btoa(picture) === bytes && picture.length <= LARGEST_LOGO, `a logo has at most ${LARGEST_LOGO} bytes`);
}

/** Refuse what is not a colour, and one that could not be read. @param {unknown} value */
export function checkAccent(value) {
  const colour = check(value, COLOUR, 'an accent is a colour such as "#0f5c66"');
  need((luminanceOf(PAPER) + 0.05) / (luminanceOf(colour) + 0.05) >= LEAST_CONTRAST, "the accent is too light");
}

/** Return the relative luminance of a colour (WCAG 2.2). @param {string} colour */
function luminanceOf(colour) {
  const [red, green, blue] = [1, 3, 5].map((place) => linear(Number(`0x${colour.slice(place, place + 2)}`) / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {number} channel */
function linear(channel) {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}
