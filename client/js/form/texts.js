/**
 * Every sentence of the form, in one place.
 *
 * The laws here: the subject of the privacy sentence is "your device"; no verdict is kinder than the numbers; fewer
 * than 120 words stand before the consent text. The privacy label of the server says the same
 * (server/hushpoll_server/respond/label.py); a test in a real browser compares the two.
 */

/** Bands in which a plain "No" would not be honest: someone who sees the report has learnt a good deal. */
const VERDICTS = /** @type {Record<string, [string, string]>} */ ({
  moderate: ["Perhaps", "Randomized answers may differ."],
  weak: ["Probably", "The odds give it away."],
  "little protection": ["Probably", "The odds give it away."],
});

/**
 * Say who could learn an answer that is protected as well as this band says: who, verdict, reason.
 * @param {string} band
 * @returns {[string, string, string][]}
 */
export function rows(band) {
  const changed = VERDICTS[band];
  const people = [
    ["The people who run this survey", "They only get randomized answers."],
    ["The server's operator or an intruder", "Your answers never get there."],
    ["Someone with a legal order", "There are no answers to hand over."],
    ["Someone who gets the data", "Any answer in it may be random."],
  ];
  return [
    ...people.map(([who, reason]) => /** @type {[string, string, string]} */ ([who, ...(changed ?? ["No", reason])])),
    ["Readers of the results", "No", "They see only estimates."],
    ["Whoever controls your device or this page", "Yes", "They could read what you choose."],
  ];
}

/** @param {number} times */
function count(times) {
  if (times === 0) return "less than once";
  if (times === 100) return "more than 99 times";
  return times === 1 ? "once" : `${times} times`;
}

/**
 * Put odds into whole numbers out of 100: the two halves of one sentence, and the words before them.
 * @param {number} times how often in 100 the draw is the answer
 */
export function odds(times) {
  return {
    lead: "Your device sends",
    real: `your real answer ${count(times)} in 100,`,
    other: `the other one ${count(100 - times)}.`,
  };
}

/** @param {string} band */
function protection(band) {
  return band === "little protection" ? band : `${band} protection`;
}

export const label = {
  question: "Who could learn your answers?",
  process: "After Send, your device randomizes each answer once; nothing else leaves it.",
  least: "Least protected question:",
  /** @param {string} epsilon @param {string} band */
  one: (epsilon, band) => `In total: ${protection(band)} (ε\u00a0${epsilon}).`,
  /** @param {number} questions @param {string} each @param {string} epsilon @param {string} band */
  all: (questions, each, epsilon, band) =>
    `Each answer: ${protection(each)}. All ${questions} together: ${protection(band)} (ε\u00a0${epsilon}).`,
  picture: "100 dots.",
  link: "Read the whole privacy label",
};

export const consent = {
  heading: "From the people who run this survey",
  begin: "I agree, begin",
};

export const question = {
  /** @param {number} number @param {number} of */
  progress: (number, of) => `Question ${number} of ${of}`,
  yes: "Yes",
  no: "No",
  missing: "Choose Yes or No to go on.",
  back: "Back",
  next: "Next",
  review: "To the review",
};

export const review = {
  progress: "Review",
  heading: "Check your answers",
  explanation:
    "They are still only on this page. When you press Send, your device randomizes each answer once, sends only the " +
    "result and forgets your answers. This cannot be undone or repeated.",
  change: "Change",
  /** @param {number} number */
  changeQuestion: (number) => ` question ${number}`,
  send: "Send",
};

export const outcome = {
  sending: "Sending …",
  drawn: "Your device has randomized your answers and wiped them from this page.",
  kept: "This device sends the report that it made before.",
  sent: "Sent. Thank you.",
  sentDetail: "Your device randomized each answer once, sent only the result and forgot your answers.",
  already: "You have answered on this device",
  alreadyDetail: "Randomizing a second time would weaken your protection, so this page does not do it.",
  waiting: "Not sent yet",
  waitingDetail:
    "Your randomized report waits on this device and will be sent: as soon as you are online, or when you come back " +
    "to this page. It is not randomized again.",
  retry: "Try again now",
  /** @param {number} seconds */
  patience: (seconds) => `The server is busy. This page tries again in ${seconds} seconds.`,
  refused: "The server did not take the report",
  receipt: "Receipt",
  survey: "Survey",
  report: "Report number",
  body: "See what was sent",
  bodyWaiting: "See what will be sent",
  bodyDetail:
    "This and nothing else: 1 stands for yes, 0 for no. A 1 is no admission: devices of people who answered no send " +
    "it too.",
};

/**
 * Say why the server did not take the report, and the cure.
 * @param {string} [problem] its type, from the closed list
 */
export function refusal(problem = "") {
  const name = problem.split(":").pop();
  if (name === "survey-closed") return "The survey was closed before the report arrived. Nothing was stored.";
  return `Tell the people who run this survey. The reason that the server gave: ${name}.`;
}

export const trouble = {
  nothingSent: "Nothing was sent, and nothing can be sent from here.",
  insecure: "This connection is not safe to answer on",
  insecureDetail:
    "Somebody on the way could change this page. Open it at its https:// address, or ask whoever gave you this one.",
  browser: "This browser cannot protect your answers",
  browserDetail: "It lacks a part that this survey needs. Use a current Firefox, Chrome, Edge or Safari.",
  storage: "This browser does not let the page keep anything",
  storageDetail:
    "The randomized report must be kept on your device before it is sent, so that it is randomized only once. Leave " +
    "private browsing, or allow this site to store data, and reload.",
  manifest: "This survey did not pass its checks",
  unexpected: "Something went wrong in this page",
  unexpectedDetail: "Reload it. A report that was stored on this device is not randomized again.",
};
