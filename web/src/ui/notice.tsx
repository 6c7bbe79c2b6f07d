import type { ComponentChildren } from "preact";
import { t } from "../i18n";
import { problemText } from "../problem";
import { Button } from "./button";
import { Icon, type IconName } from "./icon";
import { Spinner } from "./spinner";

const icons: Record<NoticeKind, IconName> = { info: "info", good: "check", warn: "warn", bad: "warn" };
type NoticeKind = "info" | "good" | "warn" | "bad";

/** Notice says something in the flow of a page. bad and warn are spoken. */
export function Notice({ kind = "info", children }: { kind?: NoticeKind; children: ComponentChildren }) {
  return (
    <div class={`notice notice-${kind}`} role={kind === "bad" || kind === "warn" ? "alert" : undefined}>
      <Icon name={icons[kind]} />
      <div class="notice-body">{children}</div>
    </div>
  );
}

/** Loading stands where something will be. It shows after a moment only. */
export function Loading({ children }: { children?: ComponentChildren }) {
  return (
    <p class="loading" role="status">
      <Spinner />
      <span>{children ?? t("app.loading")}</span>
    </p>
  );
}

interface EmptyProps {
  icon?: IconName;
  title: ComponentChildren;
  children?: ComponentChildren;
}

/** Empty stands where there is nothing yet, and says how that changes. */
export function Empty({ icon = "info", title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Failure says why something is missing, and lets try again. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <Notice kind="bad">
      <p>{problemText(error)}</p>
      {retry && (
        <Button size="small" icon="refresh" onClick={retry}>
          {t("kit.retry")}
        </Button>
      )}
    </Notice>
  );
}
