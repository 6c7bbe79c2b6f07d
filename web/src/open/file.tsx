import { useLayoutEffect, useState } from "preact/hooks";
import { download } from "../download";
import { size } from "../format";
import { t } from "../i18n/endtoend";
import { askBeforeLeaving } from "../router";
import { fitted } from "../share/filename";
import { Button } from "../ui";
import type { FileProps } from "./revealed";

/**
 * The longest name that a file is saved under, in bytes. While browsers save, they add
 * to a name what marks it as unfinished or as the second one: of the longest that file
 * systems keep they save nothing.
 */
const longest = 200;

/** File offers a file to save. It never shows what the file holds, whatever its type. */
export function File({ name, body, onClear }: FileProps) {
  const [saved, setSaved] = useState(false);
  useLayoutEffect(() => (saved ? undefined : askBeforeLeaving(() => t("reveal.file.leave"))), [saved]);
  const save = () => {
    download(fitted(name || t("reveal.file.unnamed"), "", longest), body);
    setSaved(true);
  };
  return (
    <>
      <p>{t("reveal.file.text")}</p>
      <div class="file" role="region" aria-label={t("open.secret")}>
        <p class="file-name" dir="auto" translate={false}>
          {name || t("reveal.file.unnamed")}
        </p>
        <p class="muted">{size(body.length)}</p>
        {/^\.+[^.]/.test(name) && <p class="muted small">{t("reveal.file.dot", { name: name.replace(/^\.+/, "") })}</p>}
      </div>
      <div class="row">
        <Button kind="primary" icon="download" onClick={save}>
          {t("reveal.file.save")}
        </Button>
        <Button icon="close" onClick={onClear}>
          {t("open.clear")}
        </Button>
      </div>
      <p class="muted small">{t("reveal.file.trust")}</p>
    </>
  );
}
