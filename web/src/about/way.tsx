import { t } from "../i18n/about";
import { allows } from "../share/kind";
import { Icon } from "../ui";

/** Way draws the way of a secret: from the sender over the server to the recipient, and the key past the server. */
export function Way() {
  const kind = allows("end_to_end") ? "end_to_end" : "server";
  const steps = [
    [t("about.way.you"), t(`about.way.you.${kind}`)],
    [t("about.way.kept"), t(`about.way.kept.${kind}`)],
    [t("about.way.they"), t("about.way.they.text")],
  ];
  return (
    <figure class="way">
      <p class="way-key">
        <Icon name="key" />
        {t("about.way.key")}
      </p>
      <svg class="way-drawing" viewBox="0 0 600 112" aria-hidden="true" focusable="false">
        <path class="way-link" d="M100 52V28a20 20 0 0 1 20-20H480a20 20 0 0 1 20 20v24m-8-9l8 9 8-9" />
        <path class="way-sealed" d="M138 82H258m-9-8l9 8-9 8M342 82H462m-9-8l9 8-9 8" />
        <rect class="way-place" x="64" y="56" width="72" height="52" rx="12" />
        <path class="way-sign" d="M84 74h32M84 82h32M84 90h20" />
        <rect class="way-server" x="262" y="56" width="76" height="52" rx="12" />
        <path class="way-sign" d="M288 80h24v18h-24zM292 80v-5a8 8 0 0 1 16 0v5" />
        <rect class="way-place" x="464" y="56" width="72" height="52" rx="12" />
        <path class="way-sign" d="M488 80h24v18h-24zM492 80v-7a8 8 0 0 1 15-4" />
      </svg>
      <ol class="way-steps">
        {steps.map(([who, what]) => (
          <li key={who}>
            <strong>{who}</strong>
            <span>{what}</span>
          </li>
        ))}
      </ol>
    </figure>
  );
}
