import { useState } from "preact/hooks";
import { NewAccounts } from "../colonel/accounts";
import { Area, Areas, areas as allAreas } from "../colonel/area";
import { BurnReported } from "../colonel/burn";
import { Charts, Counters, StoreAndBuild } from "../colonel/counters";
import { Exceptions } from "../colonel/exceptions";
import { FeedbackList } from "../colonel/feedback";
import { FindAccount } from "../colonel/find";
import { Invites } from "../colonel/invites";
import { Nodes } from "../colonel/nodes";
import { Role, SignUp } from "../contract";
import { t } from "../i18n/colonel";
import { LoadState, useLoaded } from "../loaded";
import { asRefusal } from "../refusal";
import { colonel } from "../rpc";
import { account, policy } from "../session";
import { Button, Loading, Page } from "../ui";
import NotFound from "./notfound";

/** Colonel is the administrators' page: how the service is doing. */
export default function Colonel() {
  const who = account.value;
  if (who === undefined) {
    return <Loading />;
  }
  // For everyone else this page does not exist; the service refuses them, too.
  return (who?.role as number | undefined) === Role.colonel ? <Overview /> : <NotFound />;
}

function Overview() {
  const index = useLoaded(() => colonel.getIndex({}));
  const [round, setRound] = useState(0);
  const refresh = () => {
    index.reload();
    setRound(round + 1);
  };
  // Where no one can sign up, an invitation leads nowhere.
  const invites = policy.value?.signUp !== SignUp.closed;
  const areas = allAreas.filter((name) => name !== "invites" || invites);
  const code = asRefusal(index.error).code;
  if (code === "not_found" || code === "permission_denied") {
    return <NotFound />;
  }
  return (
    <Page
      title={t("colonel.title")}
      actions={
        <Button icon="refresh" onClick={refresh}>
          {t("colonel.refresh")}
        </Button>
      }
    >
      <LoadState of={index} />
      {index.value && (
        <>
          <Areas names={areas} />
          <Area name="overview">
            <Counters index={index.value} />
            <Charts index={index.value} />
          </Area>
          <Area name="accounts">
            <FindAccount onChanged={index.reload} />
            <NewAccounts accounts={index.value.recentAccounts} />
          </Area>
          {invites && (
            <Area name="invites">
              <Invites round={round} />
            </Area>
          )}
          <Area name="reports">
            <BurnReported onBurned={index.reload} />
            <FeedbackList index={index.value} />
            <Exceptions key={round} />
          </Area>
          <Area name="system">
            <Nodes nodes={index.value.nodes} />
            <StoreAndBuild index={index.value} />
          </Area>
        </>
      )}
    </Page>
  );
}
