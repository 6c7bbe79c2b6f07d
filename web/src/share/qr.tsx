import { useMemo } from "preact/hooks";
import { download } from "../download";
import { t } from "../i18n/share";
import { announce, Button } from "../ui";
import { modulesOf, outline, pngOf, svgOf } from "./qrcode";

interface QrProps {
  text: string;
  /** Called when the code was saved. */
  onSaved: () => void;
}

/** QrCode shows a text as a QR code. */
export function QrCode({ text }: { text: string }) {
  const modules = useMemo(() => modulesOf(text), [text]);
  return (
    <svg class="qr" viewBox={`0 0 ${modules.length} ${modules.length}`} role="img" aria-label={t("qr.label")}>
      <rect width="100%" height="100%" fill="#fff" />
      <path d={outline(modules)} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

/** Qr shows a text as a QR code, and saves it as a picture. The file's name says nothing of the text. */
export default function Qr({ text, onSaved }: QrProps) {
  const save = async (kind: "png" | "svg") => {
    try {
      const modules = modulesOf(text);
      if (kind === "png") {
        download("qr-code.png", await pngOf(modules), "image/png");
      } else {
        download("qr-code.svg", svgOf(modules), "image/svg+xml");
      }
      onSaved();
    } catch {
      announce(t("qr.failed"));
    }
  };
  return (
    <>
      <QrCode text={text} />
      <div class="row">
        <Button size="small" icon="download" onClick={() => void save("png")}>
          {t("qr.save.png")}
        </Button>
        <Button size="small" icon="download" onClick={() => void save("svg")}>
          {t("qr.save.svg")}
        </Button>
      </div>
    </>
  );
}
