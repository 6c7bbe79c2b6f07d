import { useEffect, useRef, useState } from "preact/hooks";
import { number } from "../i18n";
import { t } from "../i18n/domains";
import { Button } from "../ui";
import { type Area, drag, edges, fit, type Grip, gripAt, largest, leastOf, resize, scaled } from "./area";
import { drawArea, drawWhole, locate } from "./canvas";

interface CropProps {
  image: ImageBitmap;
  /** Whether the area must be a square. */
  square: boolean;
  busy: boolean;
  onCrop: (area: Area) => void;
  onCancel: () => void;
}

/** Crop lets the visitor choose an area of an image, with the pointer or with sliders. */
export function Crop({ image, square, busy, onCrop, onCancel }: CropProps) {
  const [area, setArea] = useState(() => largest(image, square));
  const size = scaled(area);
  return (
    <>
      <p class="muted small">{t("image.crop.hint")}</p>
      <Whole image={image} square={square} area={area} onArea={setArea} />
      <div class="columns crop-sliders">
        {square ? (
          <SquareSliders image={image} area={area} onArea={setArea} />
        ) : (
          <EdgeSliders image={image} area={area} onArea={setArea} />
        )}
      </div>
      <Result image={image} square={square} area={area} />
      <p class="muted small">{t("image.crop.size", { width: number(size.width), height: number(size.height) })}</p>
      <div class="row row-end">
        <Button onClick={onCancel}>{t("ui.cancel")}</Button>
        <Button kind="primary" icon="upload" busy={busy} onClick={() => onCrop(area)}>
          {busy ? t("image.uploading") : t("image.upload")}
        </Button>
      </div>
    </>
  );
}

interface AreaProps {
  image: ImageBitmap;
  area: Area;
  onArea: (area: Area) => void;
}

/** How close to a corner the pointer must be, in CSS pixels. */
const reach = 24;

function Whole({ image, square, area, onArea }: AreaProps & { square: boolean }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const held = useRef<{ grip: Grip; x: number; y: number; area: Area }>(undefined);
  useEffect(() => {
    if (canvas.current) {
      drawWhole(canvas.current, image, area);
    }
  }, [image, area]);
  const take = (event: PointerEvent) => {
    if (!canvas.current) {
      return;
    }
    const { x, y, unit } = locate(canvas.current, image, event);
    const grip = gripAt(area, x, y, reach * unit);
    if (grip) {
      held.current = { grip, x, y, area };
      canvas.current.setPointerCapture(event.pointerId);
    }
  };
  const pull = (event: PointerEvent) => {
    const from = held.current;
    if (from && canvas.current) {
      const { x, y } = locate(canvas.current, image, event);
      onArea(drag(from.area, from.grip, x - from.x, y - from.y, image, square));
    }
  };
  const drop = () => {
    held.current = undefined;
  };
  return (
    <canvas
      ref={canvas}
      class="crop"
      role="img"
      aria-label={t("image.crop.label")}
      onPointerDown={take}
      onPointerMove={pull}
      onPointerUp={drop}
      onPointerCancel={drop}
    />
  );
}

function SquareSliders({ image, area, onArea }: AreaProps) {
  return (
    <>
      <Slider
        label={t("image.crop.side")}
        value={area.width}
        least={leastOf(image)}
        most={Math.min(image.width, image.height)}
        onValue={(side) => onArea(resize(area, side, image))}
      />
      <Slider
        label={t("image.crop.left")}
        value={area.x}
        least={0}
        most={image.width - area.width}
        onValue={(x) => onArea(fit({ ...area, x }, image))}
      />
      <Slider
        label={t("image.crop.top")}
        value={area.y}
        least={0}
        most={image.height - area.height}
        onValue={(y) => onArea(fit({ ...area, y }, image))}
      />
    </>
  );
}

function EdgeSliders({ image, area, onArea }: AreaProps) {
  const sides = {
    left: { at: area.x, most: image.width, label: t("image.crop.left") },
    right: { at: area.x + area.width, most: image.width, label: t("image.crop.right") },
    top: { at: area.y, most: image.height, label: t("image.crop.top") },
    bottom: { at: area.y + area.height, most: image.height, label: t("image.crop.bottom") },
  };
  return (
    <>
      {(Object.keys(sides) as (keyof typeof sides)[]).map((side) => (
        <Slider
          key={side}
          label={sides[side].label}
          value={sides[side].at}
          least={0}
          most={sides[side].most}
          onValue={(at) => onArea(edges(area, side, at, image))}
        />
      ))}
    </>
  );
}

interface SliderProps {
  label: string;
  value: number;
  least: number;
  most: number;
  onValue: (value: number) => void;
}

function Slider({ label, value, least, most, onValue }: SliderProps) {
  return (
    <label class="slider">
      <span>{label}</span>
      <input
        type="range"
        min={Math.min(least, most)}
        max={most}
        value={value}
        disabled={most <= least}
        aria-valuetext={t("image.crop.pixels", { count: number(value) })}
        onInput={(event) => onValue(event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}

/** Result shows the cropped image. */
function Result({ image, square, area }: { image: ImageBitmap; square: boolean; area: Area }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (canvas.current) {
      drawArea(canvas.current, image, area, scaled(area));
    }
  }, [image, area]);
  return (
    <figure class="crop-result">
      <figcaption class="small">{t("image.crop.result")}</figcaption>
      <canvas ref={canvas} class={square ? "crop-icon" : "brand-logo"} role="img" aria-label={t("image.crop.result")} />
    </figure>
  );
}
