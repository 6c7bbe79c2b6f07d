import { rich, t } from "../i18n/about";
import { useLoaded } from "../loaded";
import { system } from "../rpc";
import { instanceName, policy } from "../session";
import { Card, Facts, Icon, Page } from "../ui";

/** Security says what is promised and where that ends, how to report a weakness, and which version runs here. */
export default function Security() {
  return (
    <Page title={t("security.title")} lead={t("security.lead", { name: instanceName.value })}>
      <Card>
        <Promises />
        <p class="muted small">{rich("security.document", { file: <code>docs/security.md</code> })}</p>
      </Card>
      <Report />
      <Build />
    </Page>
  );
}

/** Promises shows both sides of a shield: what is kept, and what is beyond it. */
function Promises() {
  const kept = ["one", "lost", "stolen", "gone", "logged"] as const;
  return (
    <div class="promises">
      <section class="stack-s">
        <h2>{t("security.kept")}</h2>
        <ul class="promises-kept">
          {kept.map((name) => (
            <li key={name}>
              <Icon name="check" />
              <span>{t(`security.kept.${name}`)}</span>
            </li>
          ))}
        </ul>
      </section>
      <svg class="promises-shield" viewBox="0 0 64 72" aria-hidden="true" focusable="false">
        <path class="shield-kept" d="M32 3v66C14 60 6 48 6 33V12z" />
        <path class="shield-ends" d="M32 3l26 9v21c0 15-8 27-26 36" />
      </svg>
      <section class="stack-s">
        <h2>{t("security.ends")}</h2>
        <ul class="promises-ends">
          {(["page", "once", "history"] as const).map((name) => (
            <li key={name}>
              <Icon name="info" />
              <span>{t(`about.encryption.${name}`)}</span>
            </li>
          ))}
          <li>
            <Icon name="info" />
            <span>{t("security.ends.disk")}</span>
          </li>
        </ul>
      </section>
    </div>
  );
}

function Report() {
  if (!policy.value) {
    return null; // nothing is known of a contact yet
  }
  const contact = policy.value.securityContact;
  return (
    <Card title={t("security.report")}>
      <p>
        {contact
          ? rich("security.report.contact", {
              contact: (
                <a href={contact} rel="noreferrer">
                  <bdi>{shownContact(contact)}</bdi>
                </a>
              ),
            })
          : rich("security.report.none", { link: <a href="/feedback">{t("app.feedback")}</a> })}
      </p>
      <p class="muted">{t("security.report.care")}</p>
    </Card>
  );
}

/** shownContact returns an e-mail address as people write it, and the address of a page as it is. */
function shownContact(contact: string): string {
  return contact.startsWith("mailto:") ? decodeURIComponent(contact.slice("mailto:".length)) : contact;
}

const signed = `ssh-keygen -Y verify -f signers -I NAME -n hush-release \\
  -s SHA256SUMS.sig < SHA256SUMS
sha256sum --check --ignore-missing SHA256SUMS`;

function Build() {
  const version = useLoaded(async () => (await system.getVersion({})).version);
  const source = policy.value?.sourceUrl;
  return (
    <Card title={t("security.build")}>
      <Facts
        rows={[
          [t("security.build.version"), version.value ?? "…"],
          [
            t("security.build.source"),
            source && (
              <a href={source} rel="noreferrer" dir="ltr">
                {source}
              </a>
            ),
          ],
        ]}
      />
      <details>
        <summary>
          {t("security.build.verify")}
          <Icon name="down" />
        </summary>
        <div class="stack-s">
          <p>{t("security.build.signed")}</p>
          <pre class="commands" tabIndex={0}>
            {signed}
          </pre>
          <p>{t("security.build.same")}</p>
          <pre class="commands" tabIndex={0}>
            {"hush version\nmake release"}
          </pre>
        </div>
      </details>
      <p class="muted">{t("security.build.limit")}</p>
    </Card>
  );
}
