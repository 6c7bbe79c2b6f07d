import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { t } from "../i18n/colonel";
import { place } from "../router";
import { CardLevel } from "../ui/page";

/** The parts of the administrators' page, in their order. */
export const areas = ["overview", "accounts", "invites", "reports", "system"] as const;
type Name = (typeof areas)[number];

/** Areas leads to the parts of the page, and to the one that the address names. */
export function Areas({ names }: { names: readonly Name[] }) {
  useEffect(() => {
    const named = names.find((name) => `#${name}` === place.peek().hash);
    document.getElementById(named ?? "")?.scrollIntoView();
  }, []);
  return (
    <nav class="subnav" aria-label={t("colonel.areas")}>
      {names.map((name) => (
        <a key={name} href={`/colonel#${name}`}>
          {t(`colonel.area.${name}`)}
        </a>
      ))}
    </nav>
  );
}

/** Area is a part of the page, under a heading of its own. */
export function Area({ name, children }: { name: Name; children: ComponentChildren }) {
  return (
    <div class="area" id={name} tabIndex={-1}>
      <h2 class="area-title">{t(`colonel.area.${name}`)}</h2>
      <CardLevel.Provider value="h3">{children}</CardLevel.Provider>
    </div>
  );
}
