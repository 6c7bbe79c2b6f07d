import { number, tag } from "../i18n";
import { t } from "../i18n/colonel";
import { daysOf } from "./days";

export interface Part {
  name: string;
  count: number;
  /** One of the charts' colours. */
  color: "a" | "b" | "c" | "d";
}

/** Shares shows the parts of a whole as one bar with a legend. */
export function Shares({ label, parts }: { label: string; parts: Part[] }) {
  const total = parts.reduce((sum, part) => sum + part.count, 0);
  let at = 0;
  return (
    <div class="stack-s">
      <svg
        class="shares"
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        role="img"
        aria-label={description(label, parts)}
      >
        <rect class="chart-empty" width="100" height="8" />
        {total > 0 &&
          parts.map((part) => {
            const x = at;
            at += (part.count / total) * 100;
            return <rect key={part.color} class={`chart-${part.color}`} x={x} width={at - x} height="8" />;
          })}
      </svg>
      <ul class="legend">
        {parts.map((part) => (
          <li key={part.color}>
            <svg class="legend-mark" viewBox="0 0 10 10" aria-hidden="true" focusable="false">
              <rect class={`chart-${part.color}`} width="10" height="10" rx="2" />
            </svg>
            <span>{part.name}</span>
            <strong>{number(part.count)}</strong>
            {total > 0 && <span class="muted">{number(part.count / total, { style: "percent" })}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function description(label: string, parts: Part[]): string {
  return `${label}: ${parts.map((part) => `${part.name} ${number(part.count)}`).join(", ")}`;
}

/** Days shows a bar for each of the last days. */
export function Days({ label, moments, days }: { label: string; moments: Date[]; days: number }) {
  const all = daysOf(moments, days, new Date());
  const most = Math.max(1, ...all.map((day) => day.count));
  const date = new Intl.DateTimeFormat(tag.value, { day: "numeric", month: "short" });
  const [first, last] = [all[0]?.date, all[all.length - 1]?.date];
  return (
    <div class="stack-s">
      <svg
        class="days"
        viewBox={`0 0 ${days * 10} 60`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t("colonel.chart.days", { label, count: number(moments.length), most: number(most) })}
      >
        {all.map((day, i) => {
          const height = day.count === 0 ? 1 : Math.max(4, (day.count / most) * 60);
          return (
            <rect
              key={i}
              class={day.count === 0 ? "chart-empty" : "chart-a"}
              x={i * 10 + 1}
              y={60 - height}
              width="8"
              height={height}
            >
              <title>{`${date.format(day.date)}: ${number(day.count)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div class="row row-apart muted small">
        <span>{first && date.format(first)}</span>
        <span>{t("colonel.chart.most", { most: number(most) })}</span>
        <span>{last && date.format(last)}</span>
      </div>
    </div>
  );
}
