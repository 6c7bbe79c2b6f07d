import type { Link } from "../endtoend/link";
import { t } from "../i18n/answer";
import { lazy } from "../lazy";
import { Branded, useBrand } from "../open/branded";
import { Checking } from "../open/checking";
import { Looked } from "../open/looked";
import { Mangled } from "../open/mangled";
import { linkKeys } from "../requests/keys";
import { Empty, LinkButton, Notice, Page } from "../ui";
import type { To } from "./delivery";
import { AnswerForm } from "./form";
import { type Ended, type Found, lookUp, type Question } from "./lookup";
import { Asks, Report } from "./question";
import { type Call, nameOf, store, stored } from "./sealing";
import { Unconfirmed } from "./unconfirmed";

const NoLink = lazy(() => import("./nolink"), Checking);

/** View is what a link leads to, or a call to it that was on its way when the page was left. */
type View = { name: string } & ({ at: "unconfirmed"; to: To; call: Call } | { at: "found"; found: Found });

/** Asking looks up what a link asks for, and takes the answer. */
export function Asking({ link }: { link: Link }) {
  return (
    <Looked
      look={() => begin(link)}
      show={(view, again) =>
        view.at === "found" ? (
          <Seen {...view} />
        ) : (
          <Unconfirmed
            {...view}
            onNew={() => {
              store(view.name, undefined);
              again();
            }}
          />
        )
      }
    />
  );
}

async function begin(link: Link): Promise<View> {
  const { proof } = await linkKeys(link.secret);
  const name = await nameOf(proof);
  const call = stored(name);
  return call
    ? { at: "unconfirmed", to: { key: link.key, proof }, name, call }
    : { at: "found", name, found: await lookUp(link, proof) };
}

function Seen({ found, name }: { found: Found; name: string }) {
  switch (found.at) {
    case "asked":
      return <Asked question={found.question} name={name} />;
    case "ended":
      return <Over how={found.how} />;
    case "link":
      return <NoLink lack="refused" />;
    default:
      return <Refused how={found.at} />;
  }
}

function Asked({ question, name }: { question: Question; name: string }) {
  const brand = useBrand(question.domain);
  return (
    <Branded brand={brand}>
      <Page title={t("answer.title")}>
        {brand?.hasLogo && <img class="brand-logo" src={`/imagine/${brand.domainId}/logo.png`} alt={question.domain} />}
        <Asks question={question}>
          <Mangled text={t("answer.mangled")} />
        </Asks>
        <AnswerForm question={question} name={name} />
        <Report question={question} />
      </Page>
    </Branded>
  );
}

/** Refused shows nothing of a card that is not the link's, or that only a newer page can read. */
function Refused({ how }: { how: "altered" | "version" }) {
  return (
    <Page title={t(`answer.${how}.title`)}>
      <Notice kind="bad">
        <p>{t(`answer.${how}`)}</p>
      </Notice>
    </Page>
  );
}

function Over({ how }: { how: Ended }) {
  return (
    <Page short title={t(how === "gone" ? "answer.gone.title" : "answer.ended.title")}>
      <Empty icon="lock" title={t(`answer.ended.${how}`)}>
        <p>{t("answer.ended.next")}</p>
        <LinkButton href="/">{t("app.share")}</LinkButton>
      </Empty>
    </Page>
  );
}
