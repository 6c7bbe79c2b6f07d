import { useEffect, useState } from "preact/hooks";
import { t } from "../i18n";
import { Loading } from "./notice";

/** Qr shows a text as a QR code. It loads the encoder when it is first rendered. */
export function Qr({ text }: { text: string }) {
  const [modules, setModules] = useState<boolean[][]>();
  useEffect(() => {
    let current = true;
    void import("uqr").then(({ encode }) => {
      if (current) {
        setModules(encode(text, { ecc: "M", border: 3 }).data);
      }
    });
    return () => {
      current = false;
    };
  }, [text]);
  if (!modules) {
    return <Loading />;
  }
  return (
    <svg class="qr" viewBox={`0 0 ${modules.length} ${modules.length}`} role="img" aria-label={t("ui.qr")}>
      <rect width="100%" height="100%" fill="#fff" />
      <path d={outline(modules)} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

/** outline draws each run of dark modules as one rectangle. */
function outline(modules: boolean[][]): string {
  let d = "";
  modules.forEach((line, y) => {
    for (let x = 0; x < line.length; x++) {
      const start = x;
      while (line[x]) {
        x++;
      }
      if (x > start) {
        d += `M${start} ${y}h${x - start}v1h${start - x}z`;
      }
    }
  });
  return d;
}
