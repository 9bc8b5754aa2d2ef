/**
 * A survey inside another page.
 *
 *     <script type="module" src="https://polls.example.org/js/hushpoll-survey.js"></script>
 *     <hushpoll-survey src="https://polls.example.org/s/campus" height="640" lang="fr"></hushpoll-survey>
 *
 * The rule here: the page around the survey can learn that somebody sent a report or pressed Close, and nothing about
 * the answers. The survey runs in a frame of another origin, whose document this page cannot read. The frame's height
 * is set by this page and never follows what is shown in it. The events contain only the survey's name.
 */

/** The only things that the frame may do: run its script, keep its report, and open the privacy label. */
const SANDBOX = "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox";
const HEIGHT = 640;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
// The address of a form. What follows it is dropped: it could tell respondents apart.
const FORM = /^(?:\/[^/]+)*\/s\/([a-z][a-z0-9_-]{0,63})\/?$/;
const EVENTS = Object.freeze({ sent: "hushpoll-sent", closed: "hushpoll-closed" });

/**
 * Where there are no elements (rendering on a server), the module loads and defines none.
 * @type {typeof HTMLElement}
 */
const Base = globalThis.HTMLElement ?? class {};

/**
 * The element `hushpoll-survey`.
 *
 * Attributes: `src`, the address of the survey's form; `height` in CSS pixels, 640 if not given; `lang`, the language
 * to begin in, if the survey has it; `title`, what assistive technology calls the frame. The content of the element
 * is shown until the element is defined: use a link to the form.
 *
 * Events, both bubble and hold `{ survey }` as their detail: `hushpoll-sent` when the report is kept on the device and
 * the first attempt to send it ended; `hushpoll-closed` when the respondent pressed Close.
 */
export class HushpollSurvey extends Base {
  static observedAttributes = ["src", "height", "lang", "title"];

  /** @type {HTMLIFrameElement | undefined} */
  #frame;
  /** @type {Address | undefined} */
  #address;
  // Attributes are reported before the element is connected: until then there is nothing to show.
  #isThere = false;
  #listener = (/** @type {MessageEvent} */ event) => this.#hear(event);

  connectedCallback() {
    this.#isThere = true;
    addEventListener("message", this.#listener);
    this.#show();
  }

  disconnectedCallback() {
    this.#isThere = false;
    removeEventListener("message", this.#listener);
  }

  /** A move that keeps the frame (`moveBefore`) keeps the answers in it: there is nothing to do. */
  connectedMoveCallback() {}

  /** @param {string} name @param {string | null} before @param {string | null} after */
  attributeChangedCallback(name, before, after) {
    if (!this.#isThere || before === after) return;
    if (name === "src" || name === "lang") this.#show();
    else this.#dress();
  }

  #show() {
    const address = locate(this.getAttribute("src"));
    this.#address = undefined;
    this.#frame = undefined;
    if (typeof address === "string") {
      this.replaceChildren(`This survey cannot be shown here: ${address}`);
      return;
    }
    this.#address = address;
    this.#frame = document.createElement("iframe");
    this.#dress();
    const language = this.getAttribute("lang");
    // A fragment is not sent to the server.
    this.#frame.src = language ? `${address.url}#lang=${encodeURIComponent(language)}` : address.url;
    this.replaceChildren(this.#frame);
  }

  #dress() {
    const frame = this.#frame;
    if (!frame) return;
    const height = this.getAttribute("height") ?? "";
    const attributes = { sandbox: SANDBOX, referrerpolicy: "no-referrer", allow: "", width: "100%" };
    for (const [name, value] of Object.entries(attributes)) frame.setAttribute(name, value);
    frame.height = /^[1-9]\d{1,4}$/.test(height) ? height : String(HEIGHT);
    frame.title = this.title || "Survey";
    // Through the object model, because a strict policy of this page forbids style attributes.
    Object.assign(frame.style, { border: "0", display: "block" });
  }

  /** @param {MessageEvent} event */
  #hear({ source, origin, data }) {
    if (!this.#frame || source !== this.#frame.contentWindow || origin !== this.#address?.origin) return;
    const { survey } = this.#address;
    const name = Object.entries(EVENTS).find(([event]) => event === data?.hushpoll)?.[1];
    if (!name || data.survey !== survey) return;
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, detail: Object.freeze({ survey }) }));
  }
}

/**
 * Where the frame comes from.
 * @typedef {{ url: string, origin: string, survey: string }} Address
 */

/**
 * Return the address of the frame, or why there is none.
 * @param {string | null} src
 * @returns {Address | string}
 */
function locate(src) {
  if (!src || !URL.canParse(src)) return "src must be the whole address of its form.";
  const { protocol, hostname, origin, pathname } = new URL(src);
  const isSafe = protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
  if (!isSafe) return "its address must begin with https://.";
  // This page could read a frame of its own origin.
  if (origin === location.origin) return "it must come from another origin than this page.";
  const survey = FORM.exec(pathname)?.[1];
  if (!survey) return "src must be the address of its form, such as https://polls.example.org/s/campus.";
  return { url: `${origin}${pathname.replace(/\/$/, "")}/embed`, origin, survey };
}

if (globalThis.customElements && !customElements.get("hushpoll-survey")) {
  customElements.define("hushpoll-survey", HushpollSurvey);
}
