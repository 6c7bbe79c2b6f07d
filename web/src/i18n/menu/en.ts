/** The texts of the menu of an account. Visitors without one need none of them. */
export default {
  "app.account_menu": "Account menu",
  "app.account": "Account",
  "app.requests": "Requests",
  "app.domains": "Domains",
  "app.tokens": "API tokens",
  "app.colonel": "Admin",
  "app.signout": "Sign out",
} as const;
