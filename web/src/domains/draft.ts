import { hex } from "../brand";
import type { Brand } from "../gen/hush/v1/domain_pb";

/** Draft is the brand editor's content. An empty string means that a field is not set. */
export interface Draft {
  color: string;
  ink: "auto" | "light" | "dark";
  font: "sans" | "serif" | "mono";
  corner: "rounded" | "square" | "pill";
  description: string;
  before: string;
  beside: string;
  after: string;
  locale: string;
  /** Whether visitors without an account may share on the domain's pages, and through the API. */
  homepage: boolean;
  api: boolean;
}

/** The texts of a draft, with their fields in the request and their limits. */
export const texts = {
  description: { field: "description", limit: 200 },
  before: { field: "instructions_pre_reveal", limit: 500 },
  beside: { field: "instructions_reveal", limit: 500 },
  after: { field: "instructions_post_reveal", limit: 500 },
} as const;

export type TextName = keyof typeof texts;
export const textNames = Object.keys(texts) as TextName[];

/** draftOf returns the draft of a saved brand. */
export function draftOf(brand: Brand | undefined): Draft {
  const light = brand?.buttonTextLight;
  return {
    color: brand?.primaryColor ?? brand?.colour ?? "",
    ink: light === undefined ? "auto" : light ? "light" : "dark",
    font: fontOf(brand?.fontFamily),
    corner: cornerOf(brand?.cornerStyle),
    description: brand?.description ?? "",
    before: brand?.instructionsPreReveal ?? "",
    beside: brand?.instructionsReveal ?? "",
    after: brand?.instructionsPostReveal ?? "",
    locale: brand?.locale ?? "",
    homepage: brand?.allowPublicHomepage ?? false,
    api: brand?.allowPublicApi ?? false,
  };
}

function fontOf(name: string | undefined): Draft["font"] {
  return name === "serif" || name === "mono" ? name : "sans";
}

function cornerOf(name: string | undefined): Draft["corner"] {
  return name === "square" || name === "pill" ? name : "rounded";
}

/** BrandFields has the fields of a brand that a draft can set. */
type BrandFields = Partial<Omit<Brand, "$typeName" | "$unknown">>;

/** brandOf returns the brand of a draft. */
export function brandOf(draft: Draft): BrandFields {
  return {
    primaryColor: hex(draft.color) || undefined,
    buttonTextLight: draft.ink === "auto" ? undefined : draft.ink === "light",
    fontFamily: draft.font,
    cornerStyle: draft.corner,
    description: draft.description || undefined,
    instructionsPreReveal: draft.before || undefined,
    instructionsReveal: draft.beside || undefined,
    instructionsPostReveal: draft.after || undefined,
    locale: draft.locale || undefined,
    allowPublicHomepage: draft.homepage || undefined,
    allowPublicApi: draft.api || undefined,
  };
}

/** The names of the request's fields, by the names of the message's fields. */
const fields: Partial<Record<keyof BrandFields, string[]>> = {
  // Older clients have another name for the colour.
  primaryColor: ["primary_color", "colour"],
  buttonTextLight: ["button_text_light"],
  fontFamily: ["font_family"],
  cornerStyle: ["corner_style"],
  description: ["description"],
  instructionsPreReveal: ["instructions_pre_reveal"],
  instructionsReveal: ["instructions_reveal"],
  instructionsPostReveal: ["instructions_post_reveal"],
  locale: ["locale"],
  allowPublicHomepage: ["allow_public_homepage"],
  allowPublicApi: ["allow_public_api"],
};

export interface Change {
  brand: BrandFields;
  /** The fields to unset. */
  unset: string[];
}

/** changeOf returns the difference of two drafts, or undefined if there is none. */
export function changeOf(saved: Draft, draft: Draft): Change | undefined {
  const [old, wanted] = [brandOf(saved), brandOf(draft)];
  const brand: Record<string, unknown> = {};
  const unset: string[] = [];
  for (const key of Object.keys(fields) as (keyof BrandFields)[]) {
    if (old[key] === wanted[key]) {
      continue;
    }
    if (wanted[key] === undefined) {
      unset.push(...(fields[key] ?? []));
    } else {
      brand[key] = wanted[key];
    }
  }
  return Object.keys(brand).length + unset.length > 0 ? { brand: brand as BrandFields, unset } : undefined;
}
