import { useEffect, useState } from "preact/hooks";
import type { Link } from "../endtoend/link";
import { Checking } from "../open/checking";
import type { Found } from "../open/filelook";
import type { Details } from "../open/lookup";
import { idOf } from "./record";
import { previewOf, type View, viewOf } from "./source";
import { FileStage } from "./stage";

interface FilePageProps {
  link: Link;
  secret: Details;
  found: Found;
}

/** FilePage downloads a file that waits. */
export default function FilePage({ link, secret, found }: FilePageProps) {
  const [ready, setReady] = useState<{ id: string; view: View }>();
  useEffect(() => {
    const prepare = async () => {
      const id = await idOf(link.key);
      setReady({ id, view: { ...viewOf(found.file!), ...(await previewOf(link.secret, found.preview)) } });
    };
    void prepare();
  }, []);
  return ready ? <FileStage {...{ link, secret, ...ready }} hasPassphrase={secret.hasPassphrase} /> : <Checking />;
}
