import { t } from "../i18n/about";
import { policy } from "../session";
import { allows, type Kind } from "../share/kind";

/** Kinds compares the kinds of encryption that are allowed here, one in each column. */
export function Kinds() {
  const kinds = (["end_to_end", "server"] as const).filter(allows);
  const yes = (kind: Kind) => t(kind === "server" ? "about.kind.yes" : "about.kind.no");
  const rows: [string, (kind: "end_to_end" | "server") => string][] = [
    [t("about.kind.by"), (kind) => t(`about.kind.by.${kind}`)],
    [t("about.kind.sees"), (kind) => t(`about.kind.sees.${kind}`)],
    [t("about.kind.key"), (kind) => t(`about.kind.key.${kind}`)],
    [t("about.kind.script"), yes],
  ];
  if (policy.value?.mail) {
    rows.push([t("about.kind.mail"), yes]);
  }
  return (
    <table class="kinds">
      <thead>
        <tr>
          <td />
          {kinds.map((kind) => (
            <th key={kind} scope="col">
              {t(`encryption.${kind}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, text]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {kinds.map((kind) => (
              <td key={kind}>{text(kind)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
