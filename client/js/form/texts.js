/**
 * Every sentence of the form, in one place.
 *
 * The laws here: the subject of the privacy sentence is "your device"; no verdict is kinder than the numbers; fewer
 * than 120 words stand before the consent text. The privacy label of the server says the same
 * (server/hushpoll_server/respond/label.py); a test in a real browser compares the two.
 */

const PROBABLY = ["Probably", "The odds give it away."];
/** Bands in which a plain "No" would not be honest: someone who sees the report has learnt a good deal. */
const VERDICTS = /** @type {Record<string, string[]>} */ ({
  moderate: ["Perhaps", "Randomized answers may differ."],
  weak: PROBABLY,
  "little protection": PROBABLY,
});

/** Say who could learn an answer of this band: who, verdict, reason. @param {string} band */
export function rows(band) {
  const people = [
    ["The people who run this survey", "They only get randomized answers."],
    ["The server's operator or an intruder", "Your answers never get there."],
    ["Someone with a legal order", "There are no answers to hand over."],
    ["Someone who gets the data", "Any answer in it may be random."],
  ];
  return [
    ...people.map(([who, reason]) => [who, ...(VERDICTS[band] ?? ["No", reason])]),
    ["Readers of the results", "No", "They see only estimates."],
    ["Whoever controls your device or this page", "Yes", "They could read what you choose."],
  ];
}

/** Put odds into whole numbers out of 100: one sentence in three parts. @param {number} times */
export function odds(times) {
  return ["Your device sends ", `your real answer ${count(times)} in 100, `, `the other one ${count(100 - times)}.`];
}

/** @param {number} times */
function count(times) {
  if (times === 0) return "less than once";
  if (times === 100) return "more than 99 times";
  return times === 1 ? "once" : `${times} times`;
}

/** @param {number} questions @param {string} each @param {string} all @param {string} epsilon */
export function total(questions, each, all, epsilon) {
  const start = questions === 1 ? "In total" : `Each answer: ${protection(each)}. All ${questions} together`;
  return `${start}: ${protection(all)} (ε\u00a0${epsilon}).`;
}

/** @param {string} band */
function protection(band) {
  return band === "little protection" ? band : `${band} protection`;
}

export const label = {
  question: "Who could learn your answers?",
  process: "After Send, your device randomizes each answer once; nothing else leaves it.",
  least: "Least protected question: ",
  picture: "100 dots. ",
  link: "Read the whole privacy label",
  consent: "From the people who run this survey",
  begin: "I agree, begin",
};

export const question = {
  progress: "Question ",
  of: " of ",
  yes: "Yes",
  no: "No",
  missing: "Choose Yes or No to go on.",
  back: "Back",
  next: "Next",
  toReview: "To the review",
};

export const review = {
  progress: "Review",
  heading: "Check your answers",
  explanation:
    "They are still only on this page. When you press Send, your device randomizes each answer once, sends only the " +
    "result and forgets your answers. This cannot be undone or repeated.",
  change: "Change",
  question: " question ",
  send: "Send",
};

export const receipt = {
  heading: "Receipt",
  survey: "Survey",
  report: "Report number",
  sent: "See what was sent",
  waiting: "See what will be sent",
  body: "This and nothing else: 1 stands for yes, 0 for no. A 1 is no admission: devices of people who answered no send it too.",
};

// From here on: the heading of a screen and its paragraphs.
const SENDING = "Sending …";
export const drawn = [SENDING, "Your device has randomized your answers and wiped them from this page."];
export const kept = [SENDING, "This device sends the report that it made before."];
export const sent = [
  "Sent. Thank you.",
  "Your device randomized each answer once, sent only the result and forgot your answers.",
];
export const already = [
  "You have answered on this device",
  "Randomizing a second time would weaken your protection, so this page does not do it.",
];
export const waiting = [
  "Not sent yet",
  "Your randomized report waits on this device and will be sent: as soon as you are online, or when you come back to " +
    "this page. It is not randomized again.",
];
export const retry = "Try again now";

/** @param {number} seconds */
export function patience(seconds) {
  return `The server is busy. This page tries again in ${seconds} seconds.`;
}

/** Say why the server did not take the report. @param {string} [problem] its type, from the closed list */
export function refused(problem = "") {
  const name = problem.split(":").pop();
  const isClosed = name === "survey-closed";
  return [
    "The server did not take the report",
    isClosed
      ? "The survey was closed before the report arrived. Nothing was stored."
      : `Tell the people who run this survey. The server's reason: ${name}.`,
  ];
}

const NOTHING_SENT = "Nothing was sent, and nothing can be sent from here.";
export const insecure = [
  "This connection is not safe to answer on",
  "Somebody on the way could change this page. Open it at its https:// address, or ask whoever gave you this one.",
  NOTHING_SENT,
];
export const unsupported = [
  "This browser cannot protect your answers",
  "It lacks a part that this survey needs. Use a current Firefox, Chrome, Edge or Safari.",
  NOTHING_SENT,
];
export const stateless = [
  "This browser does not let the page keep anything",
  "The randomized report must be kept on your device before it is sent, so that it is randomized only once. Leave " +
    "private browsing, or allow this site to store data, and reload.",
  NOTHING_SENT,
];
export const unexpected = [
  "Something went wrong in this page",
  "Reload it. A report that was stored on this device is not randomized again.",
];

/** @param {string} reason */
export function invalid(reason) {
  return ["This survey did not pass its checks", reason, NOTHING_SENT];
}
