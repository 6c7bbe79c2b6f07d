import { lazy, MissingPage } from "../lazy";
import { Checking } from "./checking";

interface OpenedProps {
  at: Date;
}

/** Opened says when the visitor opened a secret at this place. It is loaded when someone comes back to one. */
export const Opened = lazy<OpenedProps>(() => import("./openedpage"), Checking, MissingPage);
