/** Person has an account before the tests begin. */
export interface Person {
  address: string;
  password: string;
}

/** Environment describes the service under test and its accounts. */
export interface Environment {
  url: string;
  /** The address of the server that returns received mails and sets DNS records. */
  kit: string;
  chromium: string;
  task: "test" | "screenshots" | "canary" | "slow" | "firefox" | "webkit";
  /** The programs of the tasks firefox and webkit. */
  programs?: { firefox?: string; webkitDriver?: string; xvfb?: string };
  /** Nodes of the service fail meanwhile: answers get lost, and mail is late. */
  failing?: boolean;
  ada: Person;
  colonel: Person;
  /** Servers of a page on other origins, of which the service names one, and a token of ada's. */
  elsewhere?: { named: string; other: string; token: string };
  /** What the task canary shares, and the service must not know. */
  canary?: { text: string; passphrase: string };
  /** Services behind lines of so many bytes a second, for the task slow. */
  slow?: { rate: number; url: string; ada: Person }[];
}

/** A host without DNS records until a test sets them. */
export const brandedHost = "secrets.otters-team.com";

export function environment(): Environment {
  const text = process.env.HUSH_BROWSER_TEST;
  if (!text) {
    throw new Error("run these tests with: go test ./cmd/hush -run TestBrowser");
  }
  return JSON.parse(text) as Environment;
}
