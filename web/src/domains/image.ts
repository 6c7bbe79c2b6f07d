import { dateOf } from "../format";
import { type Domain, type Image, ImageKind } from "../gen/hush/v1/domain_pb";

export type ImageName = "logo" | "icon";

export const kinds: Record<ImageName, ImageKind> = { logo: ImageKind.LOGO, icon: ImageKind.ICON };

/** imageOf returns the details of an image of a domain, or undefined if it has none. */
export function imageOf(domain: Domain, name: ImageName): Image | undefined {
  return name === "logo" ? domain.logo : domain.icon;
}

/**
 * imageUrl returns the URL of an image, or an empty string if there is none. It
 * contains the time of the upload, because browsers cache images for minutes.
 */
export function imageUrl(domain: Domain, name: ImageName): string {
  const image = imageOf(domain, name);
  return image ? `/imagine/${domain.domainId}/${name}.png?${dateOf(image.updateTime)?.getTime() ?? 0}` : "";
}
