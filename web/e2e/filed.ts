/* Files that are sent in parts, as other clients see them. */
import { type Content, openContent } from "../src/endtoend/content";
import { derive, linkProof } from "../src/endtoend/keys";
import { type Link, parse } from "../src/endtoend/link";
import { openPreview, type Preview } from "../src/endtoend/preview";
import { stretch } from "../src/endtoend/stretch";
import { base64 } from "./sealed";
import { rpc } from "./service";

/** FileState is hush.v1.File in JSON, which leaves out what is zero. */
export interface FileState {
  parts: number;
  arrived?: number;
  complete?: boolean;
  fetched?: number;
}

function parsed(link: string): Link {
  const found = parse(new URL(link).hash.slice(1));
  if (typeof found === "string") {
    throw new Error(`${link}: got a link that is ${found}, want a whole one`);
  }
  return found;
}

const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "base64"));

/** look returns what the recipient of a file sees before opening it. */
export async function look(link: string): Promise<{ file: FileState; preview?: Preview }> {
  const { key, secret } = parsed(link);
  const { file, preview } = await rpc<{ file: FileState; preview?: string }>("SecretService/GetSecret", {
    secretKey: key,
    linkProof: base64(await linkProof(secret)),
  });
  return preview ? { file, preview: await openPreview(secret, bytes(preview)) } : { file };
}

/** Reader is a recipient who has opened a file, and fetches its parts. */
export interface Reader {
  parts: number;
  part: (number: number) => Promise<Uint8Array>;
  /** Opens all parts, and confirms. */
  finish: () => Promise<Content>;
}

/** openFile opens a file as another client would. */
export async function openFile(link: string, passphrase = ""): Promise<Reader> {
  const { key, secret } = parsed(link);
  const keys = await derive(secret, passphrase, stretch);
  const claim = base64(crypto.getRandomValues(new Uint8Array(32)));
  const { file } = await rpc<{ file: FileState }>("SecretService/RevealSecret", {
    secretKey: key,
    linkProof: base64(keys.linkProof),
    proof: base64(keys.proof),
    claim,
    acceptsVersion: 2,
  });
  const part = async (number: number) =>
    bytes((await rpc<{ content: string }>("FileService/GetPart", { secretKey: key, claim, number })).content);
  const finish = async () => {
    const all: Uint8Array[] = [];
    for (let number = 0; number < file.parts; number++) {
      all.push(await part(number));
    }
    const content = await openContent(keys, Uint8Array.from(Buffer.concat(all)));
    await rpc("SecretService/AcknowledgeReveal", { secretKey: key, claim });
    return content;
  };
  return { parts: file.parts, part, finish };
}
