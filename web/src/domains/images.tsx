import { useEffect, useRef, useState } from "preact/hooks";
import { size } from "../format";
import { ConfirmCall } from "../forms/confirmcall";
import { FormError } from "../forms/formerror";
import { useSubmit } from "../forms/submit";
import type { Domain } from "../gen/hush/v1/domain_pb";
import { number } from "../i18n";
import { t } from "../i18n/domains";
import { domains } from "../rpc";
import { announce, Button, Card, Icon, Notice } from "../ui";
import { Dialog } from "../ui/dialog";
import type { Area } from "./area";
import { cut } from "./canvas";
import { Crop } from "./crop";
import { type ImageName, imageOf, imageUrl, kinds } from "./image";

/** The largest file to read. The uploaded image is smaller. */
const fileLimit = 32 << 20;

/** The types that browsers can draw. The service receives PNG. */
const types = "image/png,image/jpeg,image/gif,image/webp,image/avif";

interface ImagesProps {
  domain: Domain;
  onChange: (domain: Domain) => void;
}

/** Images changes the logo and the icon of a domain. */
export function Images({ domain, onChange }: ImagesProps) {
  return (
    <Card title={t("image.title")}>
      <p class="muted">{t("image.lead")}</p>
      <div class="columns">
        <ImageEditor name="logo" domain={domain} onChange={onChange} />
        <ImageEditor name="icon" domain={domain} onChange={onChange} />
      </div>
    </Card>
  );
}

function ImageEditor({ name, domain, onChange }: ImagesProps & { name: ImageName }) {
  const [image, setImage] = useState<ImageBitmap>();
  const [problem, setProblem] = useState("");
  const submission = useSubmit();
  useEffect(() => () => image?.close(), [image]);

  const choose = async (file: File | undefined) => {
    submission.clear();
    if (file) {
      const read = await readImage(file);
      setProblem(typeof read === "string" ? read : "");
      setImage(typeof read === "string" ? undefined : read);
    }
  };
  const close = () => {
    submission.clear();
    setImage(undefined);
  };
  const upload = (area: Area) =>
    submission.run(async () => {
      const content = image ? await cut(image, area) : new Uint8Array();
      const answer = await domains.updateDomainLogo({ domain: domain.domainId, kind: kinds[name], content });
      if (answer.domain) {
        onChange(answer.domain);
      }
      setImage(undefined);
      announce(t("image.uploaded"));
    });
  const title = name === "logo" ? t("image.logo") : t("image.icon");
  return (
    <div class="image-editor stack">
      <h3>{title}</h3>
      <p class="muted small">{name === "logo" ? t("image.logo.text") : t("image.icon.text")}</p>
      <CurrentImage name={name} domain={domain} onFile={(file) => void choose(file)} />
      {problem && <Notice kind="bad">{problem}</Notice>}
      <div class="row">
        <FileButton
          label={imageOf(domain, name) ? t("image.replace") : t("image.choose")}
          name={`${title}: ${imageOf(domain, name) ? t("image.replace") : t("image.choose")}`}
          onFile={(file) => void choose(file)}
        />
        {imageOf(domain, name) && <Delete name={name} title={title} domain={domain} onChange={onChange} />}
      </div>
      <Dialog open={image !== undefined} onClose={close} title={t("image.crop.title", { name: title })}>
        {image && (
          <Crop image={image} square={name === "icon"} busy={submission.busy} onCrop={upload} onCancel={close} />
        )}
        <FormError submission={submission} />
      </Dialog>
    </div>
  );
}

/** readImage returns the image in a file, or a text that says why there is none. */
async function readImage(file: File): Promise<ImageBitmap | string> {
  if (file.size > fileLimit) {
    return t("image.too_large", { limit: size(fileLimit) });
  }
  try {
    return await createImageBitmap(file);
  } catch {
    return t("image.unreadable");
  }
}

interface CurrentImageProps {
  name: ImageName;
  domain: Domain;
  onFile: (file: File | undefined) => void;
}

/** CurrentImage shows the current image, and accepts a file that is dropped on it. */
function CurrentImage({ name, domain, onFile }: CurrentImageProps) {
  const [over, setOver] = useState(false);
  const image = imageOf(domain, name);
  const keep = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a button does the same as dropping a file.
    <div
      class={`image-current ${over ? "image-over" : ""}`}
      onDragOver={keep}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFile(event.dataTransfer?.files[0]);
      }}
    >
      {image ? (
        <>
          <img src={imageUrl(domain, name)} alt={t("image.current")} width={image.width} height={image.height} />
          <span class="muted small">
            {t("image.facts", {
              width: number(image.width),
              height: number(image.height),
              size: size(Number(image.size)),
            })}
          </span>
        </>
      ) : (
        <>
          <Icon name="upload" />
          <span class="muted small">{t("image.none")}</span>
        </>
      )}
    </div>
  );
}

interface FileButtonProps {
  label: string;
  /** The button's name for screen readers. */
  name: string;
  onFile: (file: File | undefined) => void;
}

function FileButton({ label, name, onFile }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <label class="button button-plain file-button">
      <Icon name="upload" />
      <span>{label}</span>
      <input
        ref={input}
        type="file"
        class="visually-hidden"
        accept={types}
        aria-label={name}
        onChange={() => {
          onFile(input.current?.files?.[0]);
          if (input.current) {
            input.current.value = ""; // The same file may be chosen again.
          }
        }}
      />
    </label>
  );
}

function Delete({ name, title, domain, onChange }: ImagesProps & { name: ImageName; title: string }) {
  const [open, setOpen] = useState(false);
  const submission = useSubmit();
  const remove = () =>
    submission.run(async () => {
      const answer = await domains.deleteDomainLogo({ domain: domain.domainId, kind: kinds[name] });
      if (answer.domain) {
        onChange(answer.domain);
      }
      setOpen(false);
      announce(t("image.deleted"));
    });
  return (
    <>
      <Button kind="danger" icon="trash" aria-label={`${title}: ${t("image.delete")}`} onClick={() => setOpen(true)}>
        {t("image.delete")}
      </Button>
      <ConfirmCall
        submission={submission}
        open={open}
        onClose={() => setOpen(false)}
        title={t("image.delete.title", { name: title })}
        action={t("image.delete")}
        onConfirm={remove}
      >
        <p>{t("image.delete.text")}</p>
      </ConfirmCall>
    </>
  );
}
