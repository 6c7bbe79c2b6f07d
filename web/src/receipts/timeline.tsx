import { dateOf } from "../format";
import { type Delivery, Delivery_State, type Event, Event_Kind } from "../gen/hush/v1/metadata_pb";
import { type Key, t, tn } from "../i18n/receipts";
import { Icon, type IconName, Time } from "../ui";

type Line = readonly [text: Key, icon: IconName];

const lines: Record<Event_Kind, Line | undefined> = {
  [Event_Kind.UNSPECIFIED]: undefined,
  [Event_Kind.CREATED]: ["receipt.event.created", "plus"],
  [Event_Kind.LOOKED]: ["receipt.event.looked", "eye"],
  [Event_Kind.PASSPHRASE]: ["receipt.event.passphrase", "key"],
  [Event_Kind.REVEALED]: ["receipt.event.revealed", "check"],
  [Event_Kind.BURNED]: ["receipt.event.burned", "fire"],
  [Event_Kind.EXPIRED]: ["receipt.event.expired", "clock"],
  [Event_Kind.DELIVERED]: ["receipt.event.delivered", "check"],
  [Event_Kind.LAPSED]: ["receipt.event.lapsed", "clock"],
};

/** Timeline lists the events of a secret, oldest first. */
export function Timeline({ events }: { events: Event[] }) {
  return (
    <ol class="timeline">
      {events.map((event, i) => (
        <Entry key={i} event={event} />
      ))}
    </ol>
  );
}

function Entry({ event }: { event: Event }) {
  const line = lines[event.kind];
  const date = dateOf(event.time);
  if (!line) {
    return null;
  }
  const details = [
    event.count > 1 ? tn("receipt.event.times", event.count) : "",
    event.network ? t("receipt.event.from", { network: event.network }) : "",
  ].filter(Boolean);
  return (
    <li>
      <Icon name={line[1]} />
      <span>
        {t(line[0])} {details.length > 0 && <span class="muted small">{details.join(", ")}</span>}
      </span>
      {date && <Time date={date} precise />}
    </li>
  );
}

/** The texts of a mail's states. */
export const states: Record<Delivery_State, Key | undefined> = {
  [Delivery_State.UNSPECIFIED]: undefined,
  [Delivery_State.NOT_CONFIGURED]: "receipt.delivery.not_configured",
  [Delivery_State.QUEUED]: "receipt.delivery.queued",
  [Delivery_State.SENT]: "receipt.delivery.sent",
  [Delivery_State.FAILED]: "receipt.delivery.failed",
  [Delivery_State.DROPPED]: "receipt.delivery.dropped",
  [Delivery_State.UNSUPPORTED]: "receipt.delivery.unsupported",
};

/** Deliveries lists the mails to recipients with their states. */
export function Deliveries({ deliveries }: { deliveries: Delivery[] }) {
  return (
    <ul class="steps">
      {deliveries.map((delivery, i) => {
        const state = states[delivery.state];
        return (
          <li key={i}>
            <Icon name="mail" />
            <span>
              <bdi>{delivery.recipient}</bdi>: {state && t(state)}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
