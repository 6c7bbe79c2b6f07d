import type { ComponentChild } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Link } from "../endtoend/link";
import { Checking } from "../open/checking";
import { idOf, type Record, records } from "./record";
import { FileStage } from "./stage";

interface ResumedProps {
  link: Link;
  /** What is shown if this tab has not opened a file with this link. */
  otherwise: ComponentChild;
}

/** Resumed goes on with a file that this tab had opened before the page was loaded again. */
export default function Resumed({ link, otherwise }: ResumedProps) {
  const [found, setFound] = useState<{ id: string; record: Record | undefined }>();
  useEffect(() => {
    void idOf(link.key).then((id) => setFound({ id, record: records().read(id) }));
  }, []);
  if (!found) {
    return <Checking />;
  }
  const { id, record } = found;
  return record ? (
    <FileStage {...{ link, id }} hasPassphrase={record.passphrase} secret={undefined} view={undefined} />
  ) : (
    otherwise
  );
}
