import { dateOf } from "../format";
import { type Domain, type Image, ImageKind } from "../gen/hush/v1/domain_pb";

export type PictureName = "logo" | "icon";

export const kinds: Record<PictureName, ImageKind> = { logo: ImageKind.LOGO, icon: ImageKind.ICON };

/** pictureOf returns the details of an image of a domain, or undefined if it has none. */
export function pictureOf(domain: Domain, name: PictureName): Image | undefined {
  return name === "logo" ? domain.logo : domain.icon;
}

/**
 * pictureUrl returns the URL of an image, or an empty string if there is none. It
 * contains the time of the upload, because browsers cache images for minutes.
 */
export function pictureUrl(domain: Domain, name: PictureName): string {
  const image = pictureOf(domain, name);
  return image ? `/imagine/${domain.domainId}/${name}.png?${dateOf(image.updateTime)?.getTime() ?? 0}` : "";
}
