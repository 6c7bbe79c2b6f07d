import { useLayoutEffect, useState } from "preact/hooks";
import { download } from "../download";
import type { Bytes } from "../endtoend/bytes";
import { size } from "../format";
import { t } from "../i18n/revealed";
import { askBeforeLeaving } from "../router";
import { fitted } from "../share/filename";
import { Button } from "../ui";
import { Hide, hidden } from "./hide";
import { imageType } from "./image";

/**
 * The longest name that a file is saved under, in bytes. While browsers save, they add
 * to a name what marks it as unfinished or as the second one: of the longest that file
 * systems keep they save nothing.
 */
const longest = 200;

interface FileProps {
  name: string;
  body: Bytes;
  /** The text of the button that ends. */
  done: string;
  onClear: () => void;
}

/** File offers a file to save. Of what it holds it shows images of pixels, and nothing else, whatever its name says. */
export function File({ name, body, done, onClear }: FileProps) {
  const [saved, setSaved] = useState(false);
  useLayoutEffect(() => (saved ? undefined : askBeforeLeaving(() => t("reveal.file.leave"))), [saved]);
  const image = usePreview(body);
  const save = () => {
    download(fitted(name || t("reveal.file.unnamed"), "", longest), body);
    setSaved(true);
  };
  return (
    <>
      <p>{t("reveal.file.text")}</p>
      <div class="file" role="region" aria-label={t("open.secret")}>
        {image && !hidden.value && <img class="file-image" src={image} alt="" />}
        <p class="file-name" dir="auto" translate={false}>
          {name || t("reveal.file.unnamed")}
        </p>
        <p class="muted">{size(body.length)}</p>
        {/^\.+[^.]/.test(name) && <p class="muted small">{t("reveal.file.dot", { name: name.replace(/^\.+/, "") })}</p>}
      </div>
      <div class="row reveal-actions">
        <Button kind="primary" icon="download" onClick={save}>
          {t("reveal.file.save")}
        </Button>
        {image && <Hide />}
        <Button icon="check" onClick={onClear}>
          {done}
        </Button>
      </div>
      <p class="muted small">{t("reveal.file.trust")}</p>
    </>
  );
}

/** usePreview returns an address of the image that a file is; undefined for other files. */
function usePreview(body: Bytes): string | undefined {
  const [url, setUrl] = useState<string>();
  useLayoutEffect(() => {
    const type = imageType(body);
    if (!type) {
      return;
    }
    const made = URL.createObjectURL(new Blob([body], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [body]);
  return url;
}
