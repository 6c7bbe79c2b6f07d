import type { Preview } from "../endtoend/preview";
import { size } from "../format";
import { t, tn } from "../i18n/download";
import type { Known } from "./download";

interface DescribedProps {
  known: Known;
  preview: Preview | undefined;
}

/** Described says what a file is, with the sender's note. Nothing of either is rendered or linked. */
export function Described({ known, preview }: DescribedProps) {
  const { fileName } = known;
  return (
    <div class="file" role="region" aria-label={t("download.file")}>
      <p class="file-name" dir="auto" translate={false}>
        {fileName || t("download.unnamed")}
      </p>
      <p class="muted">
        {size(known.size)}
        {preview && preview.count > 0 && ` · ${tn("download.archive", preview.count)}`}
      </p>
      {preview?.note && (
        <figure class="answer-quote">
          <figcaption>{t("download.note")}</figcaption>
          <blockquote>
            <p class="asked-note" dir="auto" translate={false}>
              {preview.note}
            </p>
          </blockquote>
        </figure>
      )}
    </div>
  );
}
