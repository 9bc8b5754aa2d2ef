/**
 * The little that the form needs to build its screens.
 *
 * The law here: a text becomes a text node. Nothing is ever parsed as HTML, so a survey's words stay words; the
 * page's policy (Trusted Types) forbids the other way too.
 */

const SVG = "http://www.w3.org/2000/svg";

/** @import { Attributes, Child } from "./types.js" */

/**
 * Make an element. A function among the attributes listens to the event of that name.
 * @param {string} name @param {Attributes} [attributes] @param {...Child} children
 */
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/**
 * Make an element of a drawing.
 * @param {string} name @param {Attributes} [attributes] @param {...Child} children
 */
export function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/**
 * Make a button.
 * @param {string} text @param {() => void} press @param {Attributes} [attributes]
 */
export function button(text, press, attributes = {}) {
  return make("button", { type: "button", ...attributes, click: press }, text);
}

/**
 * Make the heading of a screen; the focus moves there when the screen is shown.
 * @param {string} text
 */
export function heading(text) {
  return make("h1", { tabindex: "-1" }, text);
}

/** @template {Element} E @param {E} element @param {Attributes} attributes @param {Child[]} children */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
