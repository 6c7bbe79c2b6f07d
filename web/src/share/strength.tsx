import { t } from "../i18n/share";

/** Strength rates what was generated, on the same scale for every generator. */
export function Strength({ bits }: { bits: number }) {
  const word = bits < 45 ? "weak" : bits < 64 ? "fair" : bits < 100 ? "strong" : "excellent";
  const text = t("generate.strength", { bits, word: t(`generate.strength.${word}`) });
  return (
    <p class="strength">
      <meter min={0} max={128} low={45} high={64} optimum={128} value={Math.min(bits, 128)} aria-label={text} />
      <span>{text}</span>
    </p>
  );
}
