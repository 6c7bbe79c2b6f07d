import { useRef, useState } from "preact/hooks";
import { t } from "../i18n";
import { lazy } from "../lazy";
import { policy } from "../session";
import { Chip, SelectChip } from "./chip";
import { choices, defaultTtl } from "./draft";
import type { OptionsProps } from "./fields";
import { kinds } from "./kind";
import { unfold, unfolded } from "./more";
import { PassphraseFields } from "./passphrase";

const CustomLifetime = lazy(() => import("./custom"));
const MoreFields = lazy(() => import("./morefields"), Nothing);

/** Nothing stands in the place of fields that only some visitors see. */
function Nothing() {
  return null;
}

/** custom is the choice of a lifetime that the visitor writes. */
const custom = "custom";

/** Options has the fields for everything but the secret itself: a row of chips, and what they unfold. */
export function Options(props: OptionsProps) {
  const { draft, kind, problem, change } = props;
  const required = policy.value?.passphraseRequired ?? false;
  const [asked, setAsked] = useState(draft.passphrase !== "");
  const area = useRef<HTMLDivElement>(null);
  const passphrase = required || asked || problem.field === "passphrase";
  const more = unfolded.value || problem.field === "memo" || problem.field === "recipients";
  return (
    <div class="stack" ref={area}>
      <div class="chips">
        <SelectChip
          icon="clock"
          label={t("share.ttl")}
          value={draft.custom ? custom : String(draft.ttl || defaultTtl())}
          onValue={(ttl) =>
            change(ttl === custom ? { custom: { count: "", unit: "hour" } } : { ttl: Number(ttl), custom: undefined })
          }
          options={[...choices(), [custom, t("share.ttl.custom")]]}
        />
        {!required && (
          <Chip
            icon="key"
            open={passphrase}
            set={draft.passphrase !== ""}
            onOpen={(open) => {
              setAsked(open);
              if (open) {
                setTimeout(() => area.current?.querySelector<HTMLElement>(".share-passphrase input")?.focus());
              }
            }}
          >
            {t("share.passphrase")}
          </Chip>
        )}
        <Chip
          icon="more"
          open={more}
          set={draft.memo !== "" || draft.recipients !== "" || draft.domain !== "" || kind !== kinds()[0]}
          onOpen={unfold}
        >
          {t("share.more")}
        </Chip>
      </div>
      {draft.custom && (
        <CustomLifetime
          value={draft.custom}
          onValue={(next) => change({ custom: next })}
          error={problem.field === "ttl" ? problem.text : undefined}
        />
      )}
      {passphrase && (
        <PassphraseFields
          hint={t("share.passphrase.hint")}
          error={problem.field === "passphrase" ? problem.text : undefined}
          required={required}
          value={draft.passphrase}
          onValue={(passphrase) => change({ passphrase })}
          drawn={draft.drawn}
          onDrawn={(drawn) => change({ drawn })}
        />
      )}
      {more && <MoreFields {...props} />}
    </div>
  );
}
