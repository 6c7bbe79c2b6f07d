/** Who has an account before the tests begin. */
export interface Person {
  address: string;
  password: string;
}

/** Where the service is that is tested, and who is known there. */
export interface Environment {
  url: string;
  /** Serves mails that arrived, and takes DNS records. */
  kit: string;
  chromium: string;
  task: "test" | "screenshots";
  ada: Person;
  colonel: Person;
}

/** A host that the DNS server knows only once a test tells it. */
export const brandedHost = "secrets.otters-team.com";

export function environment(): Environment {
  const text = process.env.HUSH_BROWSER_TEST;
  if (!text) {
    throw new Error("run these tests with: go test ./cmd/hush -run TestBrowser");
  }
  return JSON.parse(text) as Environment;
}
