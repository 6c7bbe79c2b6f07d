import { useEffect, useState } from "preact/hooks";
import { fragment, type Link } from "../endtoend/link";
import { dateOf } from "../format";
import { t } from "../i18n/collect";
import { collectLink } from "../link";
import { forgetRequest, keepRequest, keptRequest } from "../requests/kept";
import { Button, Card, Notice } from "../ui";
import { CopyField } from "../ui/copy";
import type { Shown } from "./collector";

/** Keep is the collect link itself, what it is, and whether this device remembers it. */
export function Keep({ link, shown }: { link: Link; shown: Shown }) {
  const [kept, setKept] = useState<boolean>();
  const [refused, setRefused] = useState(false);
  const whole = fragment(link);
  useEffect(() => {
    void keptRequest(link.key).then((found) => setKept(found !== undefined));
  }, []);
  const remember = async () => {
    const { asked, request } = shown;
    const stored = await keepRequest({
      key: link.key,
      place: whole,
      title: asked.card.title,
      created: (dateOf(request.createTime) ?? new Date()).getTime(),
      ends: asked.card.latest * 1000,
      ...(request.id && { id: request.id }),
    });
    setRefused(!stored);
    setKept(stored);
  };
  const forget = async () => {
    await forgetRequest(link.key);
    setKept(false);
  };
  return (
    <Card kind="keep" title={t("collect.keep")}>
      <p>{t("collect.keep.text")}</p>
      <CopyField label={t("collect.keep.link")} text={collectLink(whole)}>
        {t("collect.keep.copy")}
      </CopyField>
      {kept !== undefined && (
        <div class="row row-apart">
          <p class="small" role="status">
            {t(kept ? "collect.kept" : "collect.kept.not")}
          </p>
          {kept ? (
            <Button size="small" icon="trash" onClick={() => void forget()}>
              {t("collect.forget")}
            </Button>
          ) : (
            <Button size="small" onClick={() => void remember()}>
              {t("collect.remember")}
            </Button>
          )}
        </div>
      )}
      {refused && <Notice kind="warn">{t("collect.kept.refused")}</Notice>}
    </Card>
  );
}
