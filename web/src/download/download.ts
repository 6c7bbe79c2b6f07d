/*
 * A download that survives a broken line and a reload, without a page, a clock or a
 * network of its own.
 *
 * The file is bound to a claim before its first byte is asked for. From then on it is this
 * tab's alone, for as long as it fetches and a while longer; so whatever fails, it can be
 * fetched again. It is acknowledged, which ends it, once every check has passed and the
 * file is written. Where the page cannot see that, the visitor says so.
 */
import type { Bytes } from "../endtoend/bytes";
import { ContentError, type Header } from "../endtoend/header";
import type { Keys } from "../endtoend/keys";
import type { Opened, openParts } from "../endtoend/openparts";
import { MalformedError } from "../open/fault";
import type { World } from "../open/reveal";
import { asRefusal, Refusal } from "../refusal";
import type { Places } from "./choose";
import { type Line, mayPass, partsFrom, pauseAfter } from "./parts";
import { type Pace, Rate } from "./rate";
import type { Record, Records } from "./record";
import { type Sink, SinkError, type SinkFault, type Target } from "./sink";
import type { Source, View } from "./source";

const inFlight = 2;
/** How often the page looks whether a file has arrived, in milliseconds. */
const lookEvery = 3_000;
/** How long a download may stand still before the page says that it goes on. */
const keepEvery = 300_000;
/** How many bytes are written before they are made to survive a reload. */
const flushEvery = 8 * 1024 * 1024;
/** How often the page is told how far it is. */
const showEvery = 250;
/** How long a claim lasts before the server has said so. */
const firstLease = 120_000;

/** Why is why a file that is bound to this page is not being saved. */
export type Why =
  /** The passphrase was right, and now the visitor sees what it is. */
  | "opened"
  | "reload"
  /** The visitor says that it did not arrive. */
  | "absent"
  /** A check failed: something on the way has changed it. */
  | "altered"
  | SinkFault;

/** State is what the page shows. `until` is when the claim ends, in milliseconds of the visitor's clock. */
export type State =
  /** The sender still sends it: this part of 1 has arrived. */
  | { at: "arriving"; part: number; line: Line }
  /** It waits for the press. */
  | { at: "form"; refusal?: Refusal; malformed?: boolean; trouble?: "room" | "none" }
  /** The browser asks where to save it. */
  | { at: "choosing" }
  | { at: "deriving" }
  /** The server is being asked. */
  | { at: "asking"; line: Line }
  /** Nothing was sent. */
  | { at: "offline" }
  /** It is bound to this page, and a press saves it. */
  | { at: "held"; why: Why; until: number; trouble?: "none" }
  | { at: "loading"; pace: Pace; line: Line; until: number; sink: Sink["kind"] }
  | { at: "finishing" }
  /** Everything was handed to the browser, and the visitor sees whether it arrived. */
  | { at: "confirming"; until: number }
  /** It is written. Where it is still in the browser, save saves it again. */
  | { at: "saved"; save: (() => void) | undefined }
  /** The server has no such file. If an answer was lost or a claim was over, that may be why. */
  | { at: "gone"; lost: boolean }
  /** It is the sender's, and in a form that this page does not save. */
  | { at: "unfit" }
  /** Another tab has it. */
  | { at: "elsewhere" };

/** Parts are what a download is made of. Tests have others. */
export interface Tools {
  source: Source;
  open: typeof openParts;
  places: Places & { without: (kind: Sink["kind"]) => void };
  records: Records;
  /** Keeps other tabs away; undefined if one has the file. */
  lock: () => Promise<(() => void) | undefined>;
  world: World;
  /** The clock that the visitor sees, in milliseconds. */
  today: () => number;
  newClaim: () => Bytes;
  /** The name of a file that has none. */
  unnamed: (kind: Header["kind"]) => string;
}

interface Options {
  /** The name of the file's record. */
  id: string;
  hasPassphrase: boolean;
  onState: (state: State) => void;
  /** Is told what the file is, once that is known. */
  onKnown: (known: Known) => void;
}

/** Known is what is known of a file, from its preview or its header. */
export type Known = Pick<Header, "kind" | "fileName" | "size">;

/** Download opens and saves one file. */
export class Download {
  #state: State = { at: "form" };
  #view: View | undefined;
  #known: Known | undefined;
  #keys: Keys | undefined;
  #opened: Opened | undefined;
  #claim: Bytes | undefined;
  /** Whether the claim may be bound. */
  #bound = false;
  #until = 0;
  #lease = firstLease;
  #release: (() => void) | undefined;
  #renewed = 0;
  #sink: Sink | undefined;
  /** How far a pass through the parts is. */
  #arrived = new Map<number, number>();
  #base = 0;
  #sum = 0;
  #rate: Rate | undefined;
  #line: Line = "up";
  #shown = 0;
  #run = new AbortController();
  readonly #left = new AbortController();

  constructor(
    private readonly tools: Tools,
    private readonly options: Options,
  ) {}

  /** start shows a file that waits, or goes on with one that this tab had opened. */
  async start(view: View | undefined): Promise<void> {
    const record = this.tools.records.read(this.options.id);
    this.#see(view);
    if (record) {
      await this.#resume(record);
    } else if (view && !view.complete) {
      await this.#wait();
    } else {
      this.#show({ at: "form" });
    }
  }

  /** press opens the file and saves it. It is called in the click. It does nothing while something is under way. */
  async press(passphrase: string): Promise<void> {
    const before = this.#state;
    if (before.at !== "form" && before.at !== "offline" && before.at !== "held" && before.at !== "elsewhere") {
      return;
    }
    this.#run = new AbortController();
    if (!this.#known) {
      if (await this.#unlock(passphrase)) {
        this.#hold("opened");
      }
      return;
    }
    // Nothing is awaited before: the browser asks for a place in the click only.
    const choosing = this.tools.places.choose(this.#target(this.#known), this.options.id);
    this.#show({ at: "choosing" });
    const sink = await choosing.catch((thrown: unknown) => (thrown as SinkError).fault);
    if (this.#left.signal.aborted) {
      return;
    }
    if (typeof sink === "string") {
      this.#notChosen(before, sink);
    } else if (await this.#unlock(passphrase)) {
      await this.#save(sink, 0);
    } else {
      await sink.abort();
    }
  }

  /** cancel ends the saving. The file stays this page's. */
  cancel(): void {
    if (this.#state.at === "loading") {
      this.#run.abort(new SinkError("cancelled"));
    }
  }

  /** confirm takes the visitor's word for whether a file has arrived. */
  async confirm(arrived: boolean): Promise<void> {
    if (this.#state.at !== "confirming") {
      return;
    }
    if (arrived) {
      await this.#written();
    } else {
      this.#hold("absent");
    }
  }

  /** end stops everything but an acknowledgement. What is needed to go on stays. */
  end(): void {
    this.#left.abort();
    this.#run.abort();
    this.#release?.();
  }

  #notChosen(before: State, why: "dismissed" | "none" | SinkFault): void {
    if (why === "dismissed") {
      this.#show(before);
    } else if (this.#bound) {
      this.#show({ at: "held", why: why === "none" ? "reload" : why, until: this.#until, trouble: "none" });
    } else {
      this.#show({ at: "form", trouble: why === "room" ? "room" : "none" });
    }
  }

  /** #see takes what the server says of the file, with its preview. */
  #see(view: View | undefined): void {
    this.#view = view ?? this.#view;
    if (view?.preview) {
      this.#know(view.preview);
    }
  }

  #know({ kind, fileName, size }: Known): void {
    this.#known = { kind, fileName, size };
    this.options.onKnown(this.#known);
  }

  /** #wait looks until all of the file has arrived. */
  async #wait(): Promise<void> {
    for (let lost = 0; !this.#left.signal.aborted; ) {
      const { arrived = 0, parts = 1 } = this.#view ?? {};
      this.#show({ at: "arriving", part: parts > 0 ? arrived / parts : 0, line: lost > 0 ? "broken" : "up" });
      await this.#pause(lost > 0 ? pauseAfter(lost - 1, { retryAfter: 0 }, this.tools.world) : lookEvery);
      try {
        const view = await this.tools.source.look(this.#left.signal);
        lost = 0;
        if (!view) {
          this.#show({ at: "gone", lost: false });
          return;
        }
        this.#see(view);
        if (view.complete) {
          this.#show({ at: "form" });
          return;
        }
      } catch {
        lost += 1;
      }
    }
  }

  /** #resume goes on with a file that this tab had opened. */
  async #resume(record: Record): Promise<void> {
    this.#show({ at: "asking", line: "up" });
    if (!(await this.#locked())) {
      return;
    }
    this.#claim = record.claim;
    this.#bound = true;
    this.#until = record.until;
    const left = await this.#asked((signal) => this.tools.source.keep(record.claim, signal));
    if (this.#left.signal.aborted) {
      return;
    }
    if (left === "refused") {
      await this.#lapsed(record);
      return;
    }
    this.#bind(left);
    if (record.done) {
      await this.#written();
    } else if (this.options.hasPassphrase) {
      this.#hold("reload");
    } else if (await this.#unlock("")) {
      await this.#goOn(record);
    }
  }

  /** #lapsed finds out what became of a file whose claim is bound to nothing. */
  async #lapsed(record: Record): Promise<void> {
    this.#forget();
    if (record.done) {
      this.#show({ at: "saved", save: undefined });
      return;
    }
    const view = await this.#asked((signal) => this.tools.source.look(signal));
    if (this.#left.signal.aborted) {
      return;
    }
    if (!view || view === "refused") {
      this.#show({ at: "gone", lost: true });
      return;
    }
    // The call that would have bound it never arrived.
    this.#see(view);
    await (view.complete ? this.#show({ at: "form" }) : this.#wait());
  }

  /** #goOn goes on behind what an earlier page has written, where that is still there. */
  async #goOn({ kept, written }: Record): Promise<void> {
    const sink =
      kept && written > 0 && this.#known
        ? await this.tools.places.resume(this.#target(this.#known), kept, written).catch(() => undefined)
        : undefined;
    if (sink) {
      await this.#save(sink, written);
    } else {
      this.#hold("reload");
    }
  }

  /** #asked repeats a call until it is answered. It returns "refused" where no repeat helps. */
  async #asked<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T | "refused"> {
    for (let lost = 0; ; lost++) {
      try {
        return await call(this.#left.signal);
      } catch (thrown) {
        const refusal = asRefusal(thrown);
        if (!mayPass(refusal) || this.#left.signal.aborted) {
          return "refused";
        }
        this.#show({ at: "asking", line: this.tools.world.online() ? "broken" : "down" });
        await this.#pause(pauseAfter(lost, refusal, this.tools.world));
      }
    }
  }

  /** #locked keeps other tabs from the file, and reports whether none has it. */
  async #locked(): Promise<boolean> {
    this.#release ??= await this.tools.lock();
    if (!this.#release) {
      this.#show({ at: "elsewhere" });
    }
    return this.#release !== undefined;
  }

  /** #unlock derives the keys, binds the file and reads its header. It reports whether it did, and shows why it did not. */
  async #unlock(passphrase: string): Promise<boolean> {
    if (this.#opened) {
      return true;
    }
    if (!this.#keys) {
      this.#show({ at: "deriving" });
      try {
        this.#keys = await this.tools.source.keys(passphrase, this.#left.signal);
      } catch (thrown) {
        this.#show(
          thrown instanceof MalformedError
            ? { at: "form", malformed: true }
            : { at: "form", refusal: asRefusal(thrown) },
        );
        return false;
      }
    }
    return (await this.#locked()) && (await this.#reveal(this.#keys)) && (await this.#openHeader(this.#keys));
  }

  /** #reveal binds the file to the claim. */
  async #reveal(keys: Keys): Promise<boolean> {
    this.#claim ??= this.tools.newClaim();
    if (!this.#bound) {
      this.#until = this.tools.today() + firstLease;
      this.#keep({});
    }
    this.#show({ at: "asking", line: "up" });
    for (let lost = 0; !this.#left.signal.aborted; lost++) {
      try {
        const { view, left } = await this.tools.source.reveal(keys, this.#claim, this.#left.signal);
        this.#see(view);
        this.#bind(left);
        return true;
      } catch (thrown) {
        const refusal = asRefusal(thrown);
        // With a passphrase, each call may cost one of its tries.
        const again = mayPass(refusal) && !refusal.unsent && (!this.options.hasPassphrase || this.#bound || lost === 0);
        if (!again) {
          await this.#refused(refusal, lost > 0);
          return false;
        }
        this.#show({ at: "asking", line: this.tools.world.online() ? "broken" : "down" });
        await this.#pause(pauseAfter(lost, refusal, this.tools.world));
      }
    }
    return false;
  }

  /** #refused shows why the file could not be bound. */
  async #refused(refusal: Refusal, lost: boolean): Promise<void> {
    if (this.#left.signal.aborted) {
      return;
    }
    this.#keys = undefined;
    const unknown = lost && mayPass(refusal);
    if (!unknown && !this.#bound) {
      this.#forget();
    }
    if (refusal.code === "not_found") {
      this.#forget();
      this.#show({ at: "gone", lost: lost || this.#bound });
    } else if (refusal.reason === "arriving") {
      await this.#wait();
    } else if (refusal.unsent) {
      this.#show({ at: "offline" });
    } else {
      this.#show({ at: "form", refusal });
    }
  }

  #bind(left: number | undefined): void {
    this.#bound = true;
    this.#lease = left ?? this.#lease;
    this.#renew();
    this.#keep({});
  }

  /** #renew notes that the server heard of the claim just now. */
  #renew(): void {
    this.#renewed = this.tools.world.now();
    this.#until = this.tools.today() + this.#lease;
  }

  /** #keep keeps what a reload needs. */
  #keep(more: Partial<Record>): void {
    if (this.#claim) {
      const { id, hasPassphrase: passphrase } = this.options;
      const none = { kept: "", written: 0, passphrase, done: false };
      this.tools.records.write(id, { claim: this.#claim, until: this.#until, ...none, ...more });
    }
  }

  /** #forget lets go of the file: it is not bound to this page. */
  #forget(): void {
    this.tools.records.write(this.options.id, undefined);
    this.#claim = undefined;
    this.#bound = false;
    this.#release?.();
    this.#release = undefined;
  }

  /** #openHeader reads the header, and checks that it says what the preview does. */
  async #openHeader(keys: Keys): Promise<boolean> {
    try {
      this.#opened = await this.tools.open(keys, (from) => this.#parts(from), this.#view?.partSize);
    } catch (thrown) {
      this.#failed(thrown);
      return false;
    }
    const { kind, fileName, size } = this.#opened.header;
    const known = this.#known;
    if (known && (known.kind !== kind || known.fileName !== fileName || known.size !== size)) {
      this.#opened = undefined;
      this.#show({ at: "unfit" });
      return false;
    }
    this.#know(this.#opened.header);
    return true;
  }

  /** #parts fetches the parts from one on. */
  #parts(from: number): AsyncGenerator<Bytes, void, undefined> {
    this.#arrived.clear();
    this.#base = from * (this.#view?.partSize ?? 0);
    this.#sum = 0;
    return partsFrom(from, {
      count: this.#view?.parts ?? 0,
      inFlight,
      world: this.tools.world,
      signal: this.#run.signal,
      get: async (number, signal, arrived) => {
        const part = await this.tools.source.part(this.#claim as Bytes, number, signal, arrived);
        this.#renew();
        this.#count(number, part.length);
        return part;
      },
      onArrived: (number, bytes) => this.#count(number, bytes),
      onLine: (line) => this.#lineIs(line),
    });
  }

  #count(number: number, bytes: number): void {
    this.#sum += bytes - (this.#arrived.get(number) ?? 0);
    this.#arrived.set(number, bytes);
    this.#rate?.arrived(this.#base + this.#sum);
    this.#showPace();
  }

  #lineIs(line: Line): void {
    if (line === this.#line) {
      return;
    }
    this.#line = line;
    this.#rate?.broke();
    if (this.#state.at === "asking") {
      this.#show({ at: "asking", line });
    }
    this.#showPace(true);
  }

  #showPace(now = false): void {
    const time = this.tools.world.now();
    if (this.#rate && this.#sink && (now || time - this.#shown >= showEvery)) {
      this.#shown = time;
      const pace = this.#paced(this.#rate);
      this.#show({ at: "loading", pace, line: this.#line, until: this.#until, sink: this.#sink.kind });
    }
  }

  /** #paced counts in bytes of the file: what is sent is longer. */
  #paced(rate: Rate): Pace {
    const pace = rate.pace();
    const scale = (this.#known?.size ?? 0) / Math.max(pace.total, 1);
    return {
      ...pace,
      done: Math.floor(pace.done * scale),
      total: this.#known?.size ?? 0,
      rate: pace.rate === undefined ? undefined : pace.rate * scale,
    };
  }

  /** #save writes the file into a sink that has its first bytes already. */
  async #save(sink: Sink, from: number): Promise<void> {
    const run = this.#run.signal;
    this.#sink = sink;
    const unkeep = this.#keeping();
    try {
      const opened = this.#opened ?? (await this.#reopened());
      this.#opened = undefined;
      const share = from / Math.max(opened.header.size, 1);
      const total = this.#view?.size ?? 0;
      this.#rate = new Rate(total, Math.floor(total * share), this.tools.world.now);
      this.#showPace(true);
      await until(sink.begin(from), run);
      await this.#writeBody(sink, opened, from);
      this.#rate = undefined;
      this.#show({ at: "finishing" });
      await until(sink.finish(), run);
    } catch (thrown) {
      this.#rate = undefined;
      await this.#broken(sink, thrown);
      return;
    } finally {
      unkeep();
    }
    if (sink.kind === "browser") {
      this.#show({ at: "confirming", until: this.#until });
    } else {
      await this.#written();
    }
  }

  async #writeBody(sink: Sink, opened: Opened, from: number): Promise<void> {
    let written = from;
    let flushed = from;
    for await (const piece of opened.body(from)) {
      const { length } = piece;
      await until(sink.write(piece), this.#run.signal);
      written += length;
      if (sink.kept && written - flushed >= flushEvery) {
        await until(sink.flush(), this.#run.signal);
        flushed = written;
        this.#keep({ kept: sink.kept, written });
      }
    }
  }

  /** #reopened reads the header again: a body can be read once. */
  async #reopened(): Promise<Opened> {
    return await this.tools.open(this.#keys as Keys, (from) => this.#parts(from), this.#view?.partSize);
  }

  /** #broken throws away what was written, and shows why. */
  async #broken(sink: Sink, thrown: unknown): Promise<void> {
    this.#opened = undefined;
    if (this.#left.signal.aborted) {
      await (sink.leave ? sink.leave() : sink.abort());
      return;
    }
    this.#run.abort();
    this.#keep({});
    await sink.abort().catch(() => undefined);
    if (thrown instanceof SinkError && thrown.fault === "lost") {
      this.tools.places.without(sink.kind);
    }
    this.#failed(thrown);
  }

  /** #failed shows why the file is not saved. */
  #failed(thrown: unknown): void {
    if (this.#left.signal.aborted) {
      return;
    }
    if (thrown instanceof SinkError) {
      this.#hold(thrown.fault);
    } else if (thrown instanceof ContentError && thrown.fault !== "altered") {
      this.#show({ at: "unfit" });
    } else if (thrown instanceof ContentError) {
      // A passphrase is not checked by the server once the file is bound.
      this.#keys = this.options.hasPassphrase ? undefined : this.#keys;
      this.#hold("altered");
    } else if (thrown instanceof Refusal && thrown.code === "not_found") {
      this.#forget();
      this.#show({ at: "gone", lost: true });
    } else {
      this.#hold("lost");
    }
  }

  #hold(why: Why): void {
    this.#show({ at: "held", why, until: this.#until });
  }

  /** #keeping says to the server that the page still wants the file, while no part says so. */
  #keeping(): () => void {
    let cancel: () => void = () => undefined;
    const next = () => {
      cancel = this.tools.world.after(keepEvery, () => {
        next();
        const claim = this.#claim;
        if (claim && this.tools.world.now() - this.#renewed >= keepEvery) {
          this.tools.source.keep(claim, this.#left.signal).then(
            () => this.#renew(),
            () => undefined,
          );
        }
      });
    };
    next();
    return () => cancel();
  }

  /** #written shows that the file is there, and acknowledges it until the server has heard that. */
  async #written(): Promise<void> {
    const sink = this.#sink;
    this.#keep({ done: true });
    sink?.save?.();
    this.#show({ at: "saved", save: sink?.save });
    const claim = this.#claim;
    for (let lost = 0; claim && this.tools.today() < this.#until; lost++) {
      try {
        // Also after the page is left: its own signal is not asked.
        await this.tools.source.acknowledge(claim);
        break;
      } catch (thrown) {
        const refusal = asRefusal(thrown);
        if (!mayPass(refusal)) {
          break;
        }
        await new Promise<void>((done) => this.tools.world.after(pauseAfter(lost, refusal, this.tools.world), done));
      }
    }
    this.tools.records.write(this.options.id, undefined);
    // The lock stays until the page ends where the browser's own file is to be saved again.
    if (!sink?.kept) {
      this.#release?.();
    }
  }

  #target({ kind, fileName, size }: Known): Target {
    return { name: fileName || this.tools.unnamed(kind), size };
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const signal = this.#left.signal;
      const over = () => {
        cancel();
        off();
        signal.removeEventListener("abort", over);
        resolve();
      };
      const cancel = this.tools.world.after(milliseconds, over);
      const off = this.tools.world.onLine((online) => online && over());
      signal.addEventListener("abort", over);
    });
  }

  #show(state: State): void {
    this.#state = state;
    if (!this.#left.signal.aborted) {
      this.options.onState(state);
    }
  }
}

/** until waits for a step, or throws the signal's reason, whatever comes first: a browser whose download stands still takes no piece. */
async function until<T>(step: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort: () => void = () => undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      abort = () => reject(signal.reason);
      signal.addEventListener("abort", abort);
      if (signal.aborted) {
        abort();
      }
      step.then(resolve, reject);
    });
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** mayLose reports whether leaving the page now breaks off what the visitor waits for. */
export function mayLose({ at }: State): boolean {
  return at === "asking" || at === "loading" || at === "finishing" || at === "confirming";
}
