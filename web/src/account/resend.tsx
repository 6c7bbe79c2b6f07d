import { useState } from "preact/hooks";
import { FormError, SubmitButton } from "../forms/formerror";
import { useSubmit } from "../forms/submit";
import { t } from "../i18n/signin";
import { accounts } from "../rpc";
import { announce, Button, Form, Notice } from "../ui";
import { AddressField, checkAddress, credentialProblem } from "./credentials";

/** Resend sends the confirmation mail again. */
export function Resend({ address }: { address: string }) {
  const [done, setDone] = useState(false);
  const submission = useSubmit();
  const send = () =>
    submission.run(async () => {
      setDone(false);
      await again(address);
      setDone(true);
    });
  return (
    <>
      <FormError submission={submission} />
      {done && <Notice kind="good">{t("resend.done")}</Notice>}
      <div>
        <Button icon="mail" wide busy={submission.busy} onClick={send}>
          {submission.busy ? t("resend.busy") : t("resend.submit")}
        </Button>
      </div>
    </>
  );
}

/** ResendForm does the same for an address that the visitor enters. */
export function ResendForm() {
  const [address, setAddress] = useState("");
  const [done, setDone] = useState(false);
  const submission = useSubmit(credentialProblem({ address: "address" }));
  const send = () =>
    submission.run(
      async () => {
        setDone(false);
        await again(address);
        setDone(true);
      },
      checkAddress("address", address),
    );
  return (
    <div ref={submission.area}>
      <Form onSend={send} label={t("resend.submit")}>
        <AddressField
          hint={t("verify.again.hint")}
          value={address}
          onValue={setAddress}
          error={submission.errorAt("address")}
        />
        {done && <Notice kind="good">{t("resend.done")}</Notice>}
        <SubmitButton submission={submission} text={t("resend.submit")} busy={t("resend.busy")} wide />
      </Form>
    </div>
  );
}

async function again(address: string): Promise<void> {
  await accounts.resendVerification({ address });
  announce(t("resend.done"));
}
