/** Every sentence of the form. No verdict is kinder than the numbers. */

/** Say the same as respond/label.py of the server. @param {string} band */
export function rows(band) {
  // Where a plain "No" would not be honest.
  const isUnsure = band === "moderate";
  const verdict = isUnsure ? ["Perhaps", "Randomized answers may differ."] : ["Probably", "The odds give it away."];
  const people = [
    ["The people who run this survey", "They only get randomized answers."],
    ["The server's operator or an intruder", "Your answers never get there."],
    ["Someone with a legal order", "There are no answers to hand over."],
    ["Someone who gets the data", "Any answer in it may be random."],
  ];
  return [
    ...people.map(([who, reason]) => [who, ...(/strong/.test(band) ? ["No", reason] : verdict)]),
    ["Readers of the results", "No", "They see only estimates."],
    ["Whoever controls your device or this page", "Yes", "They could read what you choose."],
  ];
}

/** @param {number} times in 100 @returns {F.Odds} */
export function odds(times) {
  return [
    times,
    "Your device sends ",
    `your real answer ${count(times)} in 100, `,
    `the other one ${count(100 - times)}.`,
  ];
}

/** @param {number} times */
export function count(times) {
  if (times === 0) return "less than once";
  if (times === 100) return "more than 99 times";
  return times === 1 ? "once" : `${times} times`;
}

/** @type {F.Total} */
export function total(questions, each, all, epsilon) {
  const words = questions === 1 ? all : `${each} for each answer, ${all} together`;
  return `Protection: ${words} (ε\u00a0${epsilon}).`;
}

export const words = {
  label: "Who could learn your answers?",
  process: "After Send, your device randomizes each answer once; nothing else leaves it.",
  least: "Least protected question: ",
  picture: "100 dots. ",
  privacy: "Read the whole privacy label",
  consent: "From the people who run this survey",
  begin: "I agree, begin",
  question: "Question ",
  of: " of ",
  yes: "Yes",
  no: "No",
  missing: "Choose Yes or No to go on.",
  back: "Back",
  next: "Next",
  toReview: "To the review",
  review: "Review",
  check: "Check your answers",
  explanation:
    "They are only on this page. After Send, your device randomizes each answer once, sends only the result and " +
    "forgets your answers. This cannot be undone.",
  change: "Change",
  changed: " question ",
  send: "Send",
  retry: "Try again now",
  receipt: "Receipt",
  survey: "Survey",
  report: "Report number",
  wasSent: "See what was sent",
  willBeSent: "See what will be sent",
  body: "Nothing else: 1 is yes, 0 is no. A 1 is no admission: devices of people who answered no send it too.",
};

// A heading and paragraphs; some by the name of an error.
const NOTHING_SENT = "Nothing was sent, and nothing can be sent from here.";
export const screens = {
  sending: ["Sending …", "Your device keeps no answer, only the randomized report."],
  sent: ["Sent. Thank you.", "Your device randomized each answer once, sent only the result and forgot your answers."],
  already: ["You have answered on this device", "Randomizing again would weaken your protection."],
  waiting: [
    "Not sent yet",
    "Your randomized report waits on this device and will be sent as soon as you are online or come back to this page.",
  ],
  insecure: [
    "This connection is not safe to answer on",
    "Somebody on the way could change this page. Open it at its https:// address.",
    NOTHING_SENT,
  ],
  Unsupported: [
    "This browser cannot protect your answers",
    "Use a current Firefox, Chrome, Edge or Safari.",
    NOTHING_SENT,
  ],
  StateFailed: [
    "This browser does not let the page keep anything",
    "Leave private browsing, or allow this site to store data, and reload.",
    NOTHING_SENT,
  ],
  unexpected: ["Something went wrong in this page", "Reload it. A report that was stored is not randomized again."],
};

/** @param {string} reason */
export function invalid(reason) {
  return ["This survey did not pass its checks", reason, NOTHING_SENT];
}

/** @param {number} seconds */
export function patience(seconds) {
  return `The server is busy. This page tries again in ${seconds} seconds.`;
}

/** @param {string} [problem] */
export function refused(problem = "") {
  const isClosed = problem.endsWith(":survey-closed");
  const reason = isClosed
    ? "The survey was closed before the report arrived."
    : `Tell who runs this survey: ${problem}.`;
  return ["The server did not take the report", reason];
}
