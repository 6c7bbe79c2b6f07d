import { signal } from "@preact/signals";
import { t } from "../i18n/revealed";
import { Button } from "../ui";

/** Whether what was opened is hidden from those who look on. The choice lasts until the page is closed. */
export const hidden = signal(false);

/** Hide hides and shows what was opened: by mouse, touch and keyboard alike. */
export function Hide() {
  const toggle = () => {
    hidden.value = !hidden.value;
  };
  return (
    <Button icon={hidden.value ? "eye" : "eye-off"} onClick={toggle}>
      {t(hidden.value ? "reveal.show" : "reveal.hide")}
    </Button>
  );
}
