/** The element `hushpoll-survey` as a Vue component. Its slot is shown where the survey cannot be. */
import { defineComponent, h } from "vue";
import "../embed/hushpoll-survey.js";

export const HushpollSurvey = defineComponent({
  name: "HushpollSurvey",
  props: {
    src: { type: String, required: true },
    group: String,
    height: [Number, String],
    lang: String,
    title: String,
  },
  emits: ["sent", "closed", "unavailable"],
  setup(props, { emit, slots }) {
    const listeners = {
      "onHushpoll-sent": (/** @type {Event} */ event) => emit("sent", event),
      "onHushpoll-closed": (/** @type {Event} */ event) => emit("closed", event),
      "onHushpoll-unavailable": (/** @type {Event} */ event) => emit("unavailable", event),
    };
    return () => h("hushpoll-survey", { ...props, ...listeners }, slots.default?.());
  },
});
