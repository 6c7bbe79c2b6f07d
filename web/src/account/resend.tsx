import { useState } from "preact/hooks";
import { t } from "../i18n/more";
import { accounts } from "../rpc";
import { announce, Button, Form, Notice } from "../ui";
import { AddressField, checkAddress, credentialProblem } from "./credentials";
import { useDeed } from "./deed";
import { Send, Tell } from "./tell";

/** Resend mails the link that confirms an address again. */
export function Resend({ address }: { address: string }) {
  const [done, setDone] = useState(false);
  const deed = useDeed();
  const send = () =>
    deed.do(async () => {
      setDone(false);
      await again(address);
      setDone(true);
    });
  return (
    <>
      <Tell deed={deed} />
      {done && <Notice kind="good">{t("resend.done")}</Notice>}
      <div>
        <Button icon="mail" busy={deed.busy} onClick={send}>
          {deed.busy ? t("resend.busy") : t("resend.submit")}
        </Button>
      </div>
    </>
  );
}

/** ResendForm does the same for an address that has yet to be named. */
export function ResendForm() {
  const [address, setAddress] = useState("");
  const [done, setDone] = useState(false);
  const deed = useDeed(credentialProblem({ address: "address" }));
  const send = () =>
    deed.do(
      async () => {
        setDone(false);
        await again(address);
        setDone(true);
      },
      checkAddress("address", address),
    );
  return (
    <div ref={deed.area}>
      <Form onSend={send} label={t("resend.submit")}>
        <AddressField hint={t("verify.again.hint")} value={address} onValue={setAddress} error={deed.at("address")} />
        {done && <Notice kind="good">{t("resend.done")}</Notice>}
        <Send deed={deed} text={t("resend.submit")} busy={t("resend.busy")} />
      </Form>
    </div>
  );
}

async function again(address: string): Promise<void> {
  await accounts.resendVerification({ address });
  announce(t("resend.done"));
}
