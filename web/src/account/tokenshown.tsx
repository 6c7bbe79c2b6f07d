import { useEffect, useRef } from "preact/hooks";
import type { GenerateApiTokenResponse } from "../gen/hush/v1/account_service_pb";
import { rich, t } from "../i18n/account";
import { announce, Button, Notice } from "../ui";
import { CopyField } from "../ui/copy";

interface ShownProps {
  made: GenerateApiTokenResponse;
  /** The account's address, for HTTP Basic. */
  address: string;
  onDone: () => void;
}

/** ShownToken shows a new token. It cannot be shown again. */
export function ShownToken({ made, address, onDone }: ShownProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const title = t("tokens.shown", { name: made.apiToken?.name ?? "" });
  useEffect(() => {
    heading.current?.focus();
    announce(title);
  }, [made]);
  return (
    <section class="card card-keep">
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <Notice kind="info">{t("tokens.shown.once")}</Notice>
      <CopyField label={t("tokens.shown.label")} text={made.token} done={t("tokens.shown.copied")} kind="primary" />
      <div class="stack-s small">
        <p class="muted">{t("tokens.shown.use")}</p>
        <p class="mono token-use" dir="ltr">
          Authorization: Bearer {made.token.slice(0, 4)}…
        </p>
        <p class="muted">
          {rich("tokens.shown.basic", {
            address: (
              <span class="mono" dir="ltr">
                {address}
              </span>
            ),
          })}
        </p>
      </div>
      <div>
        <Button onClick={onDone}>{t("tokens.shown.done")}</Button>
      </div>
    </section>
  );
}
