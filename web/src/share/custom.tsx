import { number, region } from "../i18n";
import { t } from "../i18n/share";
import { Field, Select, TextInput } from "../ui";
import { type Custom, ceiling, secondsIn, type Unit, units } from "./lifetime";

interface CustomProps {
  value: Custom;
  onValue: (value: Custom) => void;
  error: string | undefined;
}

/** The number whose form of a unit's name stands while none is written. Arabic and Hebrew have a form for two things alone. */
const several = 3;

/** CustomLifetime has the fields for a number and its unit. */
export default function CustomLifetime({ value, onValue, error }: CustomProps) {
  const seconds = secondsIn(value);
  return (
    <div class="lifetime">
      <Field label={t("lifetime.count")} hideLabel error={error}>
        <TextInput
          inputMode="numeric"
          autocomplete="off"
          value={value.count}
          placeholder={t("lifetime.count")}
          onValue={(count) => onValue({ ...value, count })}
        />
      </Field>
      <Field label={t("lifetime.unit")} hideLabel>
        <Select
          value={value.unit}
          onValue={(unit) => onValue({ ...value, unit: unit as Unit })}
          options={(Object.keys(units) as Unit[]).map((unit) => [
            unit,
            nameOf(unit, seconds / units[value.unit] || several),
          ])}
        />
      </Field>
      {seconds <= ceiling() && <p class="muted">{t("lifetime.until", { time: later(seconds) })}</p>}
    </div>
  );
}

/** later formats the time that is so many seconds from now, with its day of the week. */
function later(seconds: number): string {
  const date = new Date(Date.now() + seconds * 1000);
  const format = { weekday: "short", month: "short", day: "numeric", hour: "numeric", minute: "2-digit" } as const;
  const year = date.getFullYear() === new Date().getFullYear() ? {} : ({ year: "numeric" } as const);
  return new Intl.DateTimeFormat(region.value, { ...format, ...year }).format(date);
}

/** nameOf returns a unit's name as it stands behind a number. */
function nameOf(unit: Unit, count: number): string {
  const whole = number(count, { style: "unit", unit, unitDisplay: "long" });
  return whole.replace(number(count), "").trim();
}
