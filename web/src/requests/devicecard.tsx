import { useEffect, useState } from "preact/hooks";
import { rich, t } from "../i18n/requests";
import { Card, Relative } from "../ui";
import { isUnlisted, type Kept, keptRequests } from "./kept";

/** DeviceCard lists requests of this device, of which there are some, and says what it keeps of all of them. */
export function DeviceCard({ kept }: { kept: readonly Kept[] }) {
  return (
    <Card title={t("requests.device")}>
      <p class="muted">{t("requests.device.text")}</p>
      <ul class="receipts">
        {kept.map((one) => (
          <li key={one.key} class="receipt-row request-row">
            <div class="receipt-what">
              <a href={`/c#${one.place}`}>
                <bdi>{one.title}</bdi>
              </a>
              <p class="muted small receipt-facts">
                <Times created={new Date(one.created)} ends={new Date(one.ends)} open={one.ends > Date.now()} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface TimesProps {
  created: Date;
  ends: Date;
  /** Whether it still takes answers. */
  open: boolean;
}

/** Times says when a request was made, and when it ends or ended. */
export function Times({ created, ends, open }: TimesProps) {
  const just = t("requests.just");
  return (
    <>
      <span>{rich("requests.created", { when: <Relative date={created} past just={just} /> })}</span>
      <span>
        {rich(open ? "requests.ends" : "requests.ended", {
          when: <Relative date={ends} {...(!open && { past: true, just })} />,
        })}
      </span>
    </>
  );
}

/** DeviceRequests shows what was asked for on this device without an account, if anything was. */
export default function DeviceRequests() {
  const [kept, setKept] = useState<readonly Kept[]>([]);
  useEffect(() => {
    void keptRequests().then((all) => setKept(all.filter((one) => one.id === undefined && !isUnlisted(one))));
  }, []);
  return kept.length > 0 ? <DeviceCard kept={kept} /> : null;
}
