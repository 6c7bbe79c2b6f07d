import type { ComponentChildren } from "preact";
import { t } from "../i18n";
import { problemText } from "../problem";
import { Button } from "./button";
import { Icon, type IconName } from "./icon";
import { Spinner } from "./spinner";

const icons: Record<NoticeKind, IconName> = { info: "info", good: "check", warn: "warn", bad: "warn" };
type NoticeKind = "info" | "good" | "warn" | "bad";

/** Notice shows a message within a page. Screen readers speak bad and warn at once. */
export function Notice({ kind = "info", children }: { kind?: NoticeKind; children: ComponentChildren }) {
  return (
    <div class={`notice notice-${kind}`} role={kind === "bad" || kind === "warn" ? "alert" : undefined}>
      <Icon name={icons[kind]} />
      <div class="notice-body">{children}</div>
    </div>
  );
}

/** Loading is a placeholder for content that is loading. It appears after a moment. */
export function Loading({ children }: { children?: ComponentChildren }) {
  return (
    <p class="loading" role="status">
      <Spinner />
      <span>{children ?? t("app.loading")}</span>
    </p>
  );
}

/** Skeleton is a placeholder for a card whose content is loading. */
export function Skeleton() {
  return (
    <div class="card skeleton">
      <p class="visually-hidden" role="status">
        {t("app.loading")}
      </p>
      <span />
      <span />
      <span />
    </div>
  );
}

interface EmptyProps {
  icon?: IconName;
  title: ComponentChildren;
  children?: ComponentChildren;
}

/** Empty is a placeholder for an empty list, and says how to fill it. */
export function Empty({ icon = "info", title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Failure says why loading failed, with a button that tries again. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <Notice kind="bad">
      <p>{problemText(error)}</p>
      {retry && (
        <Button size="small" icon="refresh" onClick={retry}>
          {t("ui.retry")}
        </Button>
      )}
    </Notice>
  );
}
