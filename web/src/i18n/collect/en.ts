/** The texts of the page that collects the answers to a request. */
export default {
  "collect.title": "Your request",
} as const;
