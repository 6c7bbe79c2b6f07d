import { useEffect, useState } from "preact/hooks";
import { dateOf, exact } from "../format";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { t } from "../i18n/receipts";
import { lazy } from "../lazy";
import { Folds } from "../receipts/folds";
import { follow } from "../receipts/follow";
import { remembered } from "../receipts/history";
import { keysIn } from "../receipts/keys";
import { Link } from "../receipts/links";
import { notify, useBadge, useMoment, useNotify } from "../receipts/moment";
import { useMoving } from "../receipts/moving";
import { confirmationOf, isAnswer, phaseOf } from "../receipts/phase";
import { Remember } from "../receipts/remember";
import { confirmationText, Status } from "../receipts/status";
import { asRefusal } from "../refusal";
import { type PageProps, place } from "../router";
import { account } from "../session";
import type { Created } from "../share/draft";
import { addressOf, keep, made } from "../share/made";
import { announce, Empty, Failure, LinkButton, Loading, Page } from "../ui";
import { uploadOf } from "../upload/running";

const Group = lazy(() => import("../receipts/group"));
const GroupLink = lazy(
  () => import("../receipts/grouplink"),
  () => null,
);
const Links = lazy(() => import("../share/result"));
const UploadCard = lazy(() => import("../upload/progress"));

/** Receipt is the sender's page for what one form was shared as: one secret, or a group of them. */
export default function Receipt({ params }: PageProps) {
  const keys = keysIn(params.key ?? place.value.hash);
  const address = addressOf(keys);
  const shared =
    address === addressOf(made.value?.links.map(({ metadata }) => metadata.metadataKey) ?? []) ? made.value : undefined;
  return keys.length > 1 || shared?.rest ? (
    <Group key={address} keys={keys} made={shared} />
  ) : (
    <Single keyOfReceipt={keys[0] ?? ""} created={shared?.links[0]} />
  );
}

interface SingleProps {
  keyOfReceipt: string;
  /** The secret if it was just shared. */
  created: Created | undefined;
}

/** Single is the page for one secret. It updates itself, and begins with the link of one that was just shared. */
function Single({ keyOfReceipt: key, created }: SingleProps) {
  const [metadata, setMetadata] = useState<Metadata | undefined>(created?.metadata);
  const [live, setLive] = useState(true);
  const [over, setOver] = useState(false);
  const [refused, setRefused] = useState<unknown>();
  useEffect(() => {
    const end = new AbortController();
    const follower = { onReceipt: setMetadata, onLive: setLive, onOver: () => setOver(true), onGone: setRefused };
    if (key) {
      void follow(key, follower, end.signal);
    }
    return () => end.abort();
  }, [key]);
  const phase = metadata && phaseOf(metadata);
  const known = metadata && confirmationOf(metadata);
  const confirmation = over && known === "pending" ? undefined : known;
  useEffect(() => {
    if (phase) {
      announce(confirmation ? confirmationText(metadata, confirmation) : t(`receipt.state.${phase}`));
    }
  }, [phase, confirmation]);
  const upload = uploadOf(key);
  useMoving(upload?.state.value.at === "sending" ? undefined : metadata, setMetadata);
  const { wanted, button: notifyButton } = useNotify();
  const opened = useMoment(phase, () => wanted && notify(t("receipt.state.received")));
  const received = phase === "received" && confirmation !== "lapsed";
  useBadge(received);
  const file = created?.file ?? remembered.value?.find((entry) => entry.key === key)?.file;
  const absent = asRefusal(refused).code === "not_found";
  const fresh = phase === "waiting" && !absent ? created : undefined;
  useEffect(() => {
    if (created && !fresh) {
      keep([key]); // the link opens nothing any more
    }
  }, [created, fresh]);

  if (!key || absent) {
    return <NoReceipt />;
  }
  return (
    <Page
      title={t(fresh ? "receipt.fresh.title" : "receipt.title")}
      news={received ? `✓ ${t("receipt.state.received")}` : undefined}
      lead={fresh ? freshLead(fresh) : t("receipt.lead")}
    >
      {fresh && <Links created={fresh} />}
      {upload && phase !== "received" && <UploadCard upload={upload} />}
      {refused ? <Failure error={refused} /> : !metadata && <Loading>{t("receipt.loading")}</Loading>}
      {metadata && phase && (
        <>
          <Status
            {...{ metadata, phase, confirmation, opened, live }}
            fresh={fresh !== undefined}
            sends={upload?.state.value.at === "sending"}
            file={fresh ? undefined : file}
            onChange={setMetadata}
            actions={phase === "waiting" && notifyButton}
          >
            {phase === "waiting" && (account.value === null || isAnswer(metadata)) && (
              <Remember metadata={metadata} file={file} />
            )}
          </Status>
          {phase === "waiting" && !fresh && !isAnswer(metadata) && <Link metadata={metadata} />}
          <Folds metadata={metadata} told={!fresh} onChange={setMetadata} />
          <div class="row no-print">
            {metadata.group.length > 0 && <GroupLink metadata={metadata} />}
            <LinkButton icon="plus" href="/">
              {t("receipt.again")}
            </LinkButton>
          </div>
        </>
      )}
    </Page>
  );
}

function freshLead({ secret }: Created): string {
  return t("receipt.fresh.lead", { time: exact(dateOf(secret.expireTime) ?? new Date()) });
}

function NoReceipt() {
  return (
    <Page title={t("receipt.gone.title")}>
      <Empty icon="receipt" title={t("receipt.gone.text")}>
        <LinkButton href="/">{t("receipt.again")}</LinkButton>
      </Empty>
    </Page>
  );
}
