import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { applyBrand } from "../brand";
import type { GetPublicBrandResponse } from "../gen/hush/v1/domain_service_pb";
import { suggestLocale } from "../i18n";
import { asRefusal, type Code } from "../refusal";
import { domains } from "../rpc";

/** How many milliseconds to wait before a lost call for a brand is repeated. */
const pauses = [1_000, 3_000, 9_000];

/** useBrand loads the brand of a domain, and returns undefined if there is none. The page works without it. */
export function useBrand(domain: string): GetPublicBrandResponse | undefined {
  const [brand, setBrand] = useState<GetPublicBrandResponse>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const ask = async ([pause, ...later]: readonly number[]) => {
      try {
        const found = await domains.getPublicBrand({ domain });
        if (!left) {
          setBrand(found);
        }
      } catch (thrown) {
        if (!left && pause && isLost(asRefusal(thrown).code)) {
          timer = setTimeout(() => void ask(later), pause);
        }
      }
    };
    if (domain) {
      void ask(pauses);
    }
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [domain]);
  return brand;
}

/** isLost reports whether a call failed for a reason that may pass. */
function isLost(code: Code): boolean {
  return code === "offline" || code === "unavailable";
}

/** showIcon sets the tab's icon, and returns a function that restores the old one. */
function showIcon(href: string): () => void {
  const own = [...document.head.querySelectorAll('link[rel="icon"]')];
  const link = document.createElement("link");
  link.rel = "icon";
  link.href = href;
  document.head.append(link);
  for (const other of own) {
    other.remove();
  }
  return () => link.replaceWith(...own);
}

interface BrandedProps {
  brand: GetPublicBrandResponse | undefined;
  children: ComponentChildren;
}

/** Branded shows its children in a brand, with the brand's icon and language. */
export function Branded({ brand, children }: BrandedProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (element.current) {
      applyBrand(element.current, brand?.brand);
    }
    suggestLocale(brand?.brand?.locale ?? "");
    return brand?.hasIcon ? showIcon(`/imagine/${brand.domainId}/icon.png`) : undefined;
  }, [brand]);
  return (
    <div ref={element} class={brand ? "branded" : undefined}>
      {children}
    </div>
  );
}
