import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { signInFor } from "../account/returnpath";
import { needed } from "../call";
import { Encryption, Requests } from "../contract";
import { EncryptionBadge } from "../endtoend/label";
import { FormError } from "../forms/formerror";
import { type Problem, type Submission, useSubmit } from "../forms/submit";
import { number } from "../i18n";
import { t } from "../i18n/requests";
import { problemText } from "../problem";
import { asRefusal } from "../refusal";
import { navigate, place } from "../router";
import { account, policy } from "../session";
import { Chip, SelectChip } from "../share/chip";
import { DomainField, useOwnDomains } from "../share/domainfield";
import { mails, mayAsk } from "../share/fields";
import { heading, kept, open } from "../share/kept";
import { unfold, unfolded } from "../share/more";
import { sending } from "../share/textbox";
import { announce, Button, Checkbox, Field, Icon, LinkButton, TextArea, TextInput } from "../ui";
import { type Accepted, change as changeDraft, check, clear, type Draft, drafted, lifetimes, ttlOf } from "./draft";
import { answersMax } from "./limits";

const asking = () => import("./asking");

interface AskProps {
  /** Receives what the form around this does when it is sent. */
  sender: RefObject<(() => void) | undefined>;
}

/** Ask is the tab of the home page that asks for a secret. The page of the request shows its link. */
export default function Ask({ sender }: AskProps) {
  useAddress();
  useHeading();
  const may = mayAsk();
  useEffect(() => {
    if (!may) {
      open("text"); // the address asked for a tab that is not there
    }
  }, [may]);
  return policy.value?.requests === (Requests.accounts as number) && account.value === null ? (
    <SignInFirst />
  ) : (
    <AskForm sender={sender} />
  );
}

/** useAddress keeps the tab in the address: after a reload it is open again. */
function useAddress(): void {
  useEffect(() => {
    nameTab("#ask");
    return () => {
      if (kept.peek().mode !== "ask") {
        nameTab(""); // another tab, and not another page
      }
    };
  }, []);
}

/** useHeading has the page say that something is asked for. The focus stays where it is. */
function useHeading(): void {
  const [title, lead] = [t("requests.ask"), t("ask.lead")];
  useLayoutEffect(() => {
    heading.value = { title, lead };
  }, [title, lead]);
  useLayoutEffect(
    () => () => {
      heading.value = undefined;
    },
    [],
  );
}

/** nameTab names the open tab in the fragment of the address. The page, and what its entry in the history has, stay. */
function nameTab(hash: string): void {
  history.replaceState(history.state, "", location.pathname + hash);
  place.value = { ...place.peek(), hash };
}

function SignInFirst() {
  return (
    <div class="stack">
      <p>{t("ask.signin")}</p>
      <div class="row">
        <LinkButton kind="primary" href={signInFor("/#ask")}>
          {t("app.signin")}
        </LinkButton>
      </div>
    </div>
  );
}

function AskForm({ sender }: AskProps) {
  const draft = drafted.value;
  const submission = useSubmit(problemOf);
  const [proving, setProving] = useState(false);
  const left = useRef(new AbortController());
  const change = (part: Partial<Draft>) => {
    changeDraft(part);
    if (submission.problem?.field && submission.problem.field in part) {
      submission.clear(); // it was about another value
    }
    // A script that does not load now is loaded, and reported, when the form is sent.
    void asking()
      .then(({ prepare }) => prepare())
      .catch(() => undefined);
  };
  const send = () => {
    const sent = drafted.peek();
    submission.run(async () => {
      setProving(false);
      const { create } = await needed(asking);
      const [place, kept] = await create(sent, left.current.signal, () => setProving(true));
      if (drafted.peek() === sent) {
        clear();
      }
      if (left.current.signal.aborted && kept) {
        return; // it is in the list of this device
      }
      // What was not stored is nowhere else, whatever the visitor looks at by now.
      navigate(`/c#${place}`);
      if (!kept) {
        announce(t("ask.unkept"));
      }
    }, check(sent));
  };
  useEffect(() => {
    sender.current = send;
  });
  useEffect(
    () => () => {
      sender.current = undefined;
      left.current.abort();
    },
    [],
  );
  return (
    <div class="stack" ref={submission.area}>
      <Words draft={draft} submission={submission} change={change} send={send} />
      <Options draft={draft} change={change} />
      <FormError submission={submission} />
      <div class="share-send">
        <Button type="submit" kind="primary" size="large" wide busy={submission.busy}>
          {t(submission.busy ? (proving ? "share.busy.proving" : "share.busy.sending") : "share.submit")}
        </Button>
      </div>
      <div class="trust">
        <ol aria-label={t("share.promises.title")}>
          <li>
            <EncryptionBadge encryption={Encryption.end_to_end} />
          </li>
          <li>
            <Icon name="key" />
            {t("ask.promise.device")}
          </li>
          <li>
            <Icon name="eye" />
            {t("share.promise.once")}
          </li>
        </ol>
      </div>
    </div>
  );
}

interface PartProps {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
}

/** Words has the fields for what is asked for. */
function Words({ draft, submission, change, send }: PartProps & { submission: Submission; send: () => void }) {
  return (
    <>
      <Field label={t("ask.title")} error={submission.errorAt("title")}>
        <TextInput
          value={draft.title}
          onValue={(title) => change({ title })}
          placeholder={t("ask.title.placeholder")}
          autocomplete="off"
          required
        />
      </Field>
      <Field label={t("ask.note")} optional hint={t("ask.note.hint")} error={submission.errorAt("note")}>
        <TextArea
          rows={2}
          value={draft.note}
          onValue={(note) => change({ note })}
          autocomplete="off"
          onKeyDown={sending(send)}
        />
      </Field>
      <Field
        label={t("ask.answers")}
        hint={t("ask.answers.hint", { most: number(answersMax) })}
        error={submission.errorAt("answers")}
      >
        <TextInput
          class="input-count"
          inputMode="numeric"
          autocomplete="off"
          required
          value={draft.answers}
          onValue={(answers) => change({ answers })}
        />
      </Field>
    </>
  );
}

const accepted = ["both", "text", "file"] as const satisfies Accepted[];

/** Options has the row of chips, and what they unfold. */
function Options({ draft, change }: PartProps) {
  const own = useOwnDomains();
  const more = Boolean(account.value);
  return (
    <>
      <div class="chips">
        <SelectChip
          icon="clock"
          label={t("ask.ttl")}
          value={String(ttlOf(draft))}
          onValue={(ttl) => change({ ttl: Number(ttl) })}
          options={lifetimes()}
        />
        <SelectChip
          icon="file"
          label={t("ask.accepted")}
          value={draft.accepted}
          onValue={(next) => change({ accepted: next as Accepted })}
          options={accepted.map((name) => [name, t(`ask.accepted.${name}`)])}
        />
        {more && (
          <Chip
            icon="more"
            open={unfolded.value}
            set={draft.showAddress || draft.notify || draft.domain !== ""}
            onOpen={unfold}
          >
            {t("share.more")}
          </Chip>
        )}
      </div>
      {more && unfolded.value && (
        <div class="stack share-more">
          <DomainField own={own} value={draft.domain} onValue={(domain) => change({ domain })} />
          <Checkbox
            checked={draft.showAddress}
            onChecked={(showAddress) => change({ showAddress })}
            hint={t("ask.address.hint", { address: account.value?.address ?? "" })}
          >
            {t("ask.address")}
          </Checkbox>
          {mails() && (
            <Checkbox checked={draft.notify} onChecked={(notify) => change({ notify })} hint={t("ask.notify.hint")}>
              {t("ask.notify")}
            </Checkbox>
          )}
        </div>
      )}
    </>
  );
}

/** problemOf returns the problem of what making a request threw. */
function problemOf(thrown: unknown): Problem {
  if (asRefusal(thrown).code === "offline") {
    return { field: "", text: t("share.lost") };
  }
  return { field: "", text: problemText(thrown) };
}
