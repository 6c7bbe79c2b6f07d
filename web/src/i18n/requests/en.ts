/** The texts that ask for secrets, and of the list of requests. */
export default {
  "requests.title": "Requests",
} as const;
