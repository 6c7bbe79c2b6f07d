import { dateOf } from "../format";
import { type Domain, type Image, ImageKind } from "../gen/hush/v1/domain_pb";

export type PictureName = "logo" | "icon";

export const kinds: Record<PictureName, ImageKind> = { logo: ImageKind.LOGO, icon: ImageKind.ICON };

/** pictureOf tells about an image of a domain; undefined for none. */
export function pictureOf(domain: Domain, name: PictureName): Image | undefined {
  return name === "logo" ? domain.logo : domain.icon;
}

/**
 * pictureUrl is where an image is; empty for none. The time of its upload is
 * part of it, since browsers keep images for some minutes.
 */
export function pictureUrl(domain: Domain, name: PictureName): string {
  const image = pictureOf(domain, name);
  return image ? `/imagine/${domain.domainId}/${name}.png?${dateOf(image.updateTime)?.getTime() ?? 0}` : "";
}
