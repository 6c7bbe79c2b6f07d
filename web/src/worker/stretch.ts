import type { Bytes } from "../endtoend/bytes";
import { stretch } from "../endtoend/stretch";
import { answerWith } from "./exchange";

/** Question asks for the tag of a passphrase. */
export interface Question {
  passphrase: Bytes;
  salt: Bytes;
}

answerWith<Question, Bytes>(self, ({ passphrase, salt }, alive) => stretch(passphrase, salt, alive));
