import { exact } from "../format";
import { region } from "../i18n";
import { t as waiting } from "../i18n/open";
import { t } from "../i18n/revealed";
import { Empty, LinkButton, Page } from "../ui";

/** OpenedPage says when the visitor opened a secret at this place, which shows nothing of it any more. */
export default function OpenedPage({ at }: { at: Date }) {
  return (
    <Page
      short
      title={isToday(at) ? t("opened.title", { time: clock(at) }) : t("opened.title.day", { date: exact(at) })}
    >
      <Empty icon="check" title={t("opened.text")}>
        <LinkButton href="/">{waiting("open.reply")}</LinkButton>
      </Empty>
    </Page>
  );
}

/** clock formats the time of day of a date to the minute. */
function clock(date: Date): string {
  return new Intl.DateTimeFormat(region.value, { timeStyle: "short" }).format(date);
}

/** isToday reports whether a date is on the day of now, where the visitor is. */
function isToday(date: Date, now = new Date()): boolean {
  return date.toDateString() === now.toDateString();
}
