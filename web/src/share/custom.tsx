import { number } from "../i18n";
import { t } from "../i18n/share";
import { Field, Select, TextInput } from "../ui";
import { type Custom, secondsIn, type Unit, units } from "./lifetime";

interface CustomProps {
  value: Custom;
  onValue: (value: Custom) => void;
  error: string | undefined;
}

/** The number whose form of a unit's name stands while none is written. Arabic and Hebrew have a form for two things alone. */
const several = 3;

/** CustomLifetime has the fields for a number and its unit. */
export default function CustomLifetime({ value, onValue, error }: CustomProps) {
  return (
    <div class="columns">
      <Field label={t("lifetime.count")} error={error}>
        <TextInput
          inputMode="numeric"
          autocomplete="off"
          value={value.count}
          onValue={(count) => onValue({ ...value, count })}
        />
      </Field>
      <Field label={t("lifetime.unit")}>
        <Select
          value={value.unit}
          onValue={(unit) => onValue({ ...value, unit: unit as Unit })}
          options={(Object.keys(units) as Unit[]).map((unit) => [
            unit,
            nameOf(unit, secondsIn(value) / units[value.unit] || several),
          ])}
        />
      </Field>
    </div>
  );
}

/** nameOf returns a unit's name as it stands behind a number. */
function nameOf(unit: Unit, count: number): string {
  const whole = number(count, { style: "unit", unit, unitDisplay: "long" });
  return whole.replace(number(count), "").trim();
}
