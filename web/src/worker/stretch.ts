import type { Bytes } from "../endtoend/bytes";
import { stretch } from "../endtoend/stretch";

/** Question asks for the tag of a passphrase. */
export interface Question {
  passphrase: Bytes;
  salt: Bytes;
}

self.onmessage = (event: MessageEvent<Question>) => {
  void stretch(event.data.passphrase, event.data.salt).then((tag) => self.postMessage(tag));
};
