import { useEffect, useRef } from "preact/hooks";
import { applyBrand } from "../brand";
import { relative } from "../format";
import type { Domain } from "../gen/hush/v1/domain_pb";
import { t } from "../i18n/domains";
import { t as waiting } from "../i18n/open";
import { t as shown } from "../i18n/revealed";
import { policy } from "../session";
import { Button, Icon, Segmented } from "../ui";
import { brandOf, type Draft } from "./draft";
import { imageUrl } from "./image";

/** The moment that is shown: before a secret is opened, beside it, or after it was cleared. */
export type Moment = "before" | "beside" | "after";

interface PreviewProps {
  domain: Domain;
  draft: Draft;
  moment: Moment;
  onMoment: (moment: Moment) => void;
}

/**
 * Preview shows how the page that opens a secret would look, and stays in view
 * while the brand is edited. It is inert: the editor has the same texts.
 */
export function Preview({ domain, draft, moment, onMoment }: PreviewProps) {
  const page = useRef<HTMLDivElement>(null);
  const brand = brandOf(draft);
  useEffect(() => {
    if (page.current) {
      applyBrand(page.current, brand);
    }
  });
  return (
    <figure class="preview">
      <figcaption>
        <h3>{t("brand.preview")}</h3>
      </figcaption>
      <Segmented
        label={t("brand.preview.moment")}
        hideLabel
        value={moment}
        onValue={onMoment}
        options={[
          ["before", t("brand.preview.before")],
          ["beside", t("brand.preview.beside")],
          ["after", t("brand.preview.after")],
        ]}
      />
      <div class="preview-page" role="group" aria-label={t("brand.preview")} tabIndex={0}>
        <div ref={page} class="branded stack" inert>
          {moment === "before" && <Before domain={domain} draft={draft} />}
          {moment === "beside" && <Beside draft={draft} />}
          {moment === "after" && <After draft={draft} />}
        </div>
      </div>
    </figure>
  );
}

function Before({ domain, draft }: { domain: Domain; draft: Draft }) {
  const logo = imageUrl(domain, "logo");
  const expires = relative(new Date(Date.now() + Number(policy.value?.defaultTtl || 7 * 86400) * 1000));
  return (
    <>
      <p class="preview-title">{waiting("open.title.domain", { domain: domain.displayDomain })}</p>
      <div class="card">
        {logo && <img class="brand-logo" src={logo} alt="" />}
        {draft.description && <p dir="auto">{draft.description}</p>}
        {draft.before && (
          <p class="brand-words" dir="auto">
            {draft.before}
          </p>
        )}
        <ul class="open-facts">
          <li>
            <Icon name="lock" />
            <span>{waiting("open.once")}</span>
          </li>
          <li>
            <Icon name="clock" />
            <span>{waiting("open.expires", { relative: expires })}</span>
          </li>
        </ul>
        <Button kind="primary" size="large" wide icon="eye">
          {waiting("open.reveal")}
        </Button>
      </div>
    </>
  );
}

function Beside({ draft }: { draft: Draft }) {
  return (
    <>
      <p class="preview-title">{shown("open.revealed")}</p>
      <div class="card">
        <pre class="secret">••••••••••••</pre>
        <div class="row">
          <Button kind="primary" icon="copy">
            {shown("open.copy")}
          </Button>
          <Button icon="close">{shown("open.clear")}</Button>
        </div>
        {draft.beside && (
          <p class="brand-words" dir="auto">
            {draft.beside}
          </p>
        )}
      </div>
      {draft.after && (
        <p class="brand-words" dir="auto">
          {draft.after}
        </p>
      )}
    </>
  );
}

function After({ draft }: { draft: Draft }) {
  return (
    <>
      <p class="preview-title">{shown("open.cleared.title")}</p>
      <div class="card">
        <p>{shown("open.cleared")}</p>
        {draft.after && (
          <p class="brand-words" dir="auto">
            {draft.after}
          </p>
        )}
      </div>
    </>
  );
}
