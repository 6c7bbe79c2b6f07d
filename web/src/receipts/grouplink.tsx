import { useEffect, useState } from "preact/hooks";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { t } from "../i18n/receipts";
import { receipts } from "../rpc";
import { account } from "../session";
import { addressOf } from "../share/made";
import { LinkButton } from "../ui";
import { remembered } from "./history";

/** How many receipts are searched: the members of a group were shared at about the same time. */
const searched = { account: 100, device: 25 };

/** GroupLink leads from the receipt of one secret to the page of its group, as far as this visitor has the others. */
export default function GroupLink({ metadata }: { metadata: Metadata }) {
  const [keys, setKeys] = useState<readonly string[]>([]);
  const name = metadata.group.join();
  const signedIn = Boolean(account.value);
  useEffect(() => {
    let current = true;
    known(signedIn).then(
      (rows) => current && setKeys(rows.filter((row) => row.group.join() === name).map((row) => row.metadataKey)),
      () => undefined, // The receipt is complete without it.
    );
    return () => {
      current = false;
    };
  }, [name, signedIn]);
  return keys.length > 1 ? (
    <LinkButton icon="receipt" href={`/r#${addressOf(keys)}`}>
      {t("group.one_of", { count: keys.length })}
    </LinkButton>
  ) : null;
}

/** known returns the latest receipts of the account, or those that this device remembers. */
async function known(signedIn: boolean): Promise<readonly Metadata[]> {
  if (signedIn) {
    return (await receipts.listMetadata({ pageSize: searched.account })).metadata;
  }
  const metadataKeys = (remembered.peek() ?? []).slice(0, searched.device).map(({ key }) => key);
  return metadataKeys.length > 0 ? (await receipts.batchGetMetadata({ metadataKeys })).metadata : [];
}
