/**
 * A survey inside another page.
 *
 *     <script type="module" src="https://polls.example.org/js/hushpoll-survey.js"></script>
 *     <hushpoll-survey src="https://polls.example.org/s/campus" height="640" lang="fr"></hushpoll-survey>
 *
 * The rule here: the page around the survey can learn that somebody sent a report or pressed Close, and nothing about
 * the answers. The survey runs in a frame of another origin, whose document this page cannot read. The frame's height
 * is set by this page and never follows what is shown in it. The events contain only the survey's name and, if it
 * cannot be shown, a reason that is known before anything is asked.
 */

/** The only things that the frame may do: run its script, keep its report, and open the privacy label. */
const SANDBOX = "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox";
const HEIGHT = 640;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
// The address of a form. What follows it is dropped: it could tell respondents apart.
const FORM = /^((?:\/[^/]+)*)\/s\/([a-z][a-z0-9_-]{0,63})\/?$/;
/** What the form says when its script starts, and what hinders it, by the names of errors. */
const READY = "ready";
const EVENTS = new Map([
  ["sent", "hushpoll-sent"],
  ["closed", "hushpoll-closed"],
]);
/** @type {Map<unknown, Reason>} */
const HINDRANCES = new Map([
  ["StateFailed", "storage"],
  ["Unsupported", "browser"],
]);
// A form says that it is ready before it has loaded; the message may overtake the load, or come after it.
const GRACE = 2000;
const PATIENCE = 20_000;

/** The direction and the words of each language, by reason. */
const WORDS = {
  en: {
    dir: "ltr",
    lead: "This survey cannot be shown here:",
    open: "Open the survey in a new tab",
    address: "its address cannot be used.",
    insecure: "this page was not loaded over https.",
    policy: "this page’s own policy (Content-Security-Policy) forbids to show it, or to ask its server why.",
    storage: "your browser does not let it store anything inside another site.",
    browser: "your browser cannot protect your answers. Use a current one.",
    "unknown-survey": "its server has no survey of this name.",
    "not-open": "it is not open now.",
    "foreign-origin": "it does not name this site among those that may show it (embed).",
    "server-away": "its server does not answer. Try again later.",
  },
  de: {
    dir: "ltr",
    lead: "Diese Umfrage kann hier nicht gezeigt werden:",
    open: "Die Umfrage in einem neuen Tab öffnen",
    address: "Ihre Adresse ist nicht brauchbar.",
    insecure: "Diese Seite wurde nicht über https geladen.",
    policy:
      "Die Content-Security-Policy dieser Seite verbietet, sie zu zeigen oder den Server nach dem Grund zu fragen.",
    storage: "Ihr Browser lässt sie innerhalb einer anderen Website nichts speichern.",
    browser: "Ihr Browser kann Ihre Antworten nicht schützen. Verwenden Sie einen aktuellen.",
    "unknown-survey": "Auf dem Server gibt es keine Umfrage dieses Namens.",
    "not-open": "Sie ist zurzeit nicht geöffnet.",
    "foreign-origin": "Sie nennt diese Website nicht unter denen, die sie zeigen dürfen (embed).",
    "server-away": "Der Server antwortet nicht. Versuchen Sie es später noch einmal.",
  },
  fr: {
    dir: "ltr",
    lead: "Cette enquête ne peut pas être affichée ici :",
    open: "Ouvrir l’enquête dans un nouvel onglet",
    address: "son adresse n’est pas utilisable.",
    insecure: "cette page n’a pas été chargée en https.",
    policy: "la Content-Security-Policy de cette page interdit de l’afficher, ou de demander au serveur pourquoi.",
    storage: "votre navigateur ne lui permet pas de conserver quoi que ce soit dans un autre site.",
    browser: "votre navigateur ne peut pas protéger vos réponses. Utilisez une version récente.",
    "unknown-survey": "le serveur n’a pas d’enquête de ce nom.",
    "not-open": "elle n’est pas ouverte en ce moment.",
    "foreign-origin": "elle ne nomme pas ce site parmi ceux qui peuvent l’afficher (embed).",
    "server-away": "son serveur ne répond pas. Réessayez plus tard.",
  },
  ar: {
    dir: "rtl",
    lead: "لا يمكن عرض هذا الاستطلاع هنا:",
    open: "فتح الاستطلاع في علامة تبويب جديدة",
    address: "لا يمكن استخدام عنوانه.",
    insecure: "لم تُحمَّل هذه الصفحة عبر https.",
    policy: "تمنع سياسة هذه الصفحة (Content-Security-Policy) عرضه، أو سؤال الخادم عن السبب.",
    storage: "لا يسمح له متصفحك بحفظ أي شيء داخل موقع آخر.",
    browser: "لا يستطيع متصفحك حماية إجاباتك. يُرجى استخدام متصفح حديث.",
    "unknown-survey": "لا يوجد على الخادم استطلاع بهذا الاسم.",
    "not-open": "الاستطلاع غير مفتوح الآن.",
    "foreign-origin": "لا يسمّي الاستطلاع هذا الموقع بين المواقع التي يُسمح لها بعرضه (embed).",
    "server-away": "لا يستجيب الخادم. يُرجى المحاولة لاحقًا.",
  },
};

/** @import { Reason } from "../types/embed.js" */

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
 * is shown before the element is defined, and whenever the survey cannot be shown: use a link to the form.
 *
 * Events, all bubble and hold `{ survey }` as their detail: `hushpoll-sent` when the report is kept on the device and
 * the first attempt to send it ended; `hushpoll-closed` when the respondent pressed Close; `hushpoll-unavailable`, with
 * a `reason` besides, when the survey cannot be shown.
 */
export class HushpollSurvey extends Base {
  static observedAttributes = ["src", "group", "height", "lang", "title"];

  /** @type {HTMLIFrameElement | undefined} */
  #frame;
  /** @type {Address | undefined} */
  #address;
  /** @type {Reason | null} */
  #reason = null;
  // Attributes are reported before the element is connected: until then there is nothing to show.
  #isThere = false;
  #isReady = false;
  #isForbidden = false;
  #timer = 0;
  #listener = (/** @type {MessageEvent} */ event) => this.#hear(event);
  #watcher = ({ blockedURI = "" }) => {
    this.#isForbidden ||= Boolean(this.#address && blockedURI.startsWith(this.#address.origin));
  };

  /** Why the survey cannot be shown, or null. */
  get unavailable() {
    return this.#reason;
  }

  connectedCallback() {
    this.#isThere = true;
    addEventListener("message", this.#listener);
    document.addEventListener("securitypolicyviolation", this.#watcher);
    this.#show();
  }

  disconnectedCallback() {
    this.#isThere = false;
    clearTimeout(this.#timer);
    removeEventListener("message", this.#listener);
    document.removeEventListener("securitypolicyviolation", this.#watcher);
  }

  /** A move that keeps the frame (`moveBefore`) keeps the answers in it: there is nothing to do. */
  connectedMoveCallback() {}

  /** @param {string} name @param {string | null} before @param {string | null} after */
  attributeChangedCallback(name, before, after) {
    if (!this.#isThere || before === after) return;
    if (/^(src|group|lang)$/.test(name)) this.#show();
    else this.#dress();
  }

  #show() {
    const address = locate(this.getAttribute("src"), this.getAttribute("group"));
    this.#reset();
    if (typeof address === "string") return this.#refuse("address", address);
    this.#address = address;
    if (!isSecureContext) return this.#refuse("insecure");
    const frame = document.createElement("iframe");
    this.#frame = frame;
    this.#dress();
    const language = this.getAttribute("lang");
    // A fragment is not sent to the server.
    frame.src = language ? `${address.url}#lang=${encodeURIComponent(language)}` : address.url;
    // What the browser shows instead of a form that it may not show loads, too.
    frame.onload = () => this.#expectWithin(GRACE);
    this.#expectWithin(PATIENCE);
    return this.#root.append(frame);
  }

  /** The content of the page stays where it is: without a slot it is not shown. */
  #reset() {
    clearTimeout(this.#timer);
    this.#address = undefined;
    this.#frame = undefined;
    this.#reason = null;
    this.#isReady = false;
    this.#isForbidden = false;
    const note = document.createElement("div");
    note.setAttribute("role", "status");
    this.#root.replaceChildren(note);
  }

  get #root() {
    return this.shadowRoot ?? this.attachShadow({ mode: "open" });
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
    Object.assign(frame.style, { border: "0", display: this.#reason ? "none" : "block" });
  }

  /** Ask what is wrong if the form is not ready in time. @param {number} ms */
  #expectWithin(ms) {
    clearTimeout(this.#timer);
    if (!this.#isReady && !this.#reason) this.#timer = Number(setTimeout(() => this.#doubt(), ms));
  }

  async #doubt() {
    const [frame, address] = [this.#frame, this.#address];
    if (!address) return;
    const reason = await explain(address);
    // A violation of this page's policy is told after the call has failed.
    await new Promise((resolve) => setTimeout(resolve));
    // Meanwhile the form may have become ready, or another one have taken its place.
    const isOver = this.#frame !== frame || this.#isReady || this.#reason || !this.#isThere;
    if (!isOver) this.#refuse(this.#isForbidden ? "policy" : reason);
  }

  /** Say why there is no form, and show what the page put into the element. @param {Reason} reason */
  #refuse(reason, sentence = "") {
    this.#reason = reason;
    // It stays there: a form that comes late is shown after all.
    this.#dress();
    this.#explain(reason, sentence);
    this.#root.append(document.createElement("slot"));
    // Frameworks listen as soon as the element is in its place.
    queueMicrotask(() => this.#tell("hushpoll-unavailable", { reason }));
  }

  /** @param {Reason} reason @param {string} sentence for whoever wrote the address */
  #explain(reason, sentence) {
    const tag = this.closest("[lang]")?.getAttribute("lang")?.split("-")[0] ?? "";
    const language = Object.hasOwn(WORDS, tag) ? tag : "en";
    const { dir, lead, open, ...reasons } = /** @type {Record<string, typeof WORDS.en>} */ (WORDS)[language];
    const note = /** @type {HTMLElement} */ (this.#root.firstElementChild);
    Object.assign(note, { lang: language, dir });
    note.append(`${lead} ${sentence || reasons[reason]} `);
    if (this.#address && reason !== "unknown-survey") note.append(linkTo(this.#address.form, open));
  }

  #welcome() {
    clearTimeout(this.#timer);
    this.#isReady = true;
    if (!this.#reason) return;
    this.#reason = null;
    this.#dress();
    this.#root.querySelector("slot")?.remove();
    this.#root.firstElementChild?.replaceChildren();
  }

  /** @param {MessageEvent} event */
  #hear({ source, origin, data }) {
    if (!this.#frame || source !== this.#frame.contentWindow || origin !== this.#address?.origin) return;
    if (data?.survey !== this.#address.survey) return;
    const [event, hindrance] = [EVENTS.get(data.hushpoll), HINDRANCES.get(data.hushpoll)];
    if (data.hushpoll === READY) this.#welcome();
    if (event) this.#tell(event);
    if (hindrance && !this.#reason) this.#refuse(hindrance);
  }

  /** @param {string} name @param {{ reason?: Reason }} [more] */
  #tell(name, more) {
    const detail = Object.freeze({ survey: this.#address?.survey ?? null, ...more });
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
  }
}

/**
 * Where the frame comes from.
 * @typedef {{ form: string, url: string, server: string, origin: string, survey: string }} Address
 */

/**
 * Return the address of the frame, or why there is none.
 * @param {string | null} src @param {string | null} group
 * @returns {Address | string}
 */
function locate(src, group) {
  if (!src || !URL.canParse(src)) return "src must be the whole address of its form.";
  const { protocol, hostname, origin, pathname, searchParams } = new URL(src);
  const isSafe = protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
  if (!isSafe) return "its address must begin with https://.";
  // This page could read a frame of its own origin.
  if (origin === location.origin) return "it must come from another origin than this page.";
  const [, folder, survey] = FORM.exec(pathname) ?? [];
  if (!survey) return "src must be the address of its form, such as https://polls.example.org/s/campus.";
  const form = `${origin}${folder}/s/${survey}`;
  // The form shows it to the respondent, and takes only what the survey declares.
  const named = group ?? searchParams.get("group");
  const query = named ? `?group=${encodeURIComponent(named)}` : "";
  return { form: form + query, url: `${form}/embed${query}`, server: `${origin}${folder}`, origin, survey };
}

/**
 * Return why a form was not shown. A page may not see into a frame, so the server is asked, without a word about who asks.
 * @param {Address} address
 * @returns {Promise<Reason>}
 */
async function explain({ server, survey }) {
  try {
    const { status } = await ask(`${server}/api/v1/surveys/${survey}/manifest`);
    return status === 200 ? "not-open" : status === 404 ? "unknown-survey" : "server-away";
  } catch {
    // Pages that the survey does not name may not read the response, but every page may load the element.
    return ask(`${server}/js/hushpoll-survey.js`).then(
      () => "foreign-origin",
      () => "server-away",
    );
  }
}

/** @param {string} url */
function ask(url) {
  const signal = AbortSignal.timeout(PATIENCE);
  return fetch(url, { method: "HEAD", credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store", signal });
}

/** @param {string} form @param {string} text */
function linkTo(form, text) {
  const link = document.createElement("a");
  // `rel`: the page is told nothing, and cannot be reached from there.
  Object.assign(link, { href: form, target: "_blank", rel: "noopener noreferrer", textContent: text });
  return link;
}

if (globalThis.customElements && !customElements.get("hushpoll-survey")) {
  customElements.define("hushpoll-survey", HushpollSurvey);
}
