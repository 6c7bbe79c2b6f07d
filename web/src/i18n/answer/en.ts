/** The texts of the page that answers a request. */
export default {
  "answer.title": "Answer a request",
} as const;
