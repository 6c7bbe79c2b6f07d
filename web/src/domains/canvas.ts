import { type Area, longest, type Size, scaled } from "./area";

/** The most bytes that the service accepts. */
const maxBytes = 1 << 20;

/** The largest size of the drawn image, in CSS pixels. */
const stage: Size = { width: 448, height: 300 };

/** The space around the image, so that grips on its edges are complete. */
const margin = 9;

const gripRadius = 7;

/** Layout is the position of an image on a canvas, in canvas pixels. */
interface Layout {
  /** Canvas pixels per CSS pixel. */
  pixelRatio: number;
  /** Canvas pixels per image pixel. */
  zoom: number;
  margin: number;
}

function layoutOf(image: Size): Layout {
  const pixelRatio = Math.min(devicePixelRatio || 1, 3);
  const zoom = Math.min(stage.width / image.width, stage.height / image.height) * pixelRatio;
  return { pixelRatio, zoom, margin: margin * pixelRatio };
}

/** locate returns the pointer's position in the image, and the size of a CSS pixel in image pixels. */
export function locate(
  canvas: HTMLCanvasElement,
  image: Size,
  event: PointerEvent,
): { x: number; y: number; unit: number } {
  const box = canvas.getBoundingClientRect();
  const layout = layoutOf(image);
  const unit = canvas.width / box.width / layout.zoom;
  const edge = layout.margin / layout.zoom;
  return { x: (event.clientX - box.left) * unit - edge, y: (event.clientY - box.top) * unit - edge, unit };
}

/** drawWhole draws the image and dims everything outside an area. */
export function drawWhole(canvas: HTMLCanvasElement, image: ImageBitmap, area: Area): void {
  const layout = layoutOf(image);
  const { pixelRatio, zoom } = layout;
  const [width, height] = [image.width * zoom, image.height * zoom];
  canvas.width = Math.ceil(width + 2 * layout.margin);
  canvas.height = Math.ceil(height + 2 * layout.margin);
  canvas.style.setProperty("inline-size", `${canvas.width / pixelRatio}px`);
  const context = canvas.getContext("2d");
  if (!context) {
    return;
  }
  context.translate(layout.margin, layout.margin);
  context.drawImage(image, 0, 0, width, height);
  const frame = { x: area.x * zoom, y: area.y * zoom, width: area.width * zoom, height: area.height * zoom };
  dim(context, frame, { width, height });
  outline(context, frame, pixelRatio);
}

function dim(context: CanvasRenderingContext2D, frame: Area, whole: Size): void {
  context.beginPath();
  context.rect(0, 0, whole.width, whole.height);
  context.rect(frame.x, frame.y, frame.width, frame.height);
  context.fillStyle = "rgb(0 0 0 / 0.55)";
  context.fill("evenodd");
}

/** outline draws white within black, which is visible on every picture. */
function outline(context: CanvasRenderingContext2D, frame: Area, pixelRatio: number): void {
  for (const [color, line] of [
    ["#000000", 4],
    ["#ffffff", 2],
  ] as const) {
    context.strokeStyle = color;
    context.lineWidth = line * pixelRatio;
    context.strokeRect(frame.x, frame.y, frame.width, frame.height);
  }
  context.fillStyle = "#ffffff";
  context.strokeStyle = "#000000";
  context.lineWidth = pixelRatio;
  for (const x of [frame.x, frame.x + frame.width]) {
    for (const y of [frame.y, frame.y + frame.height]) {
      context.beginPath();
      context.arc(x, y, gripRadius * pixelRatio, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
    }
  }
}

/** drawArea fills a canvas with an area of an image. */
export function drawArea(canvas: HTMLCanvasElement, image: ImageBitmap, area: Area, size: Size): void {
  canvas.width = size.width;
  canvas.height = size.height;
  const context = canvas.getContext("2d");
  if (context) {
    context.imageSmoothingQuality = "high";
    context.drawImage(image, area.x, area.y, area.width, area.height, 0, 0, size.width, size.height);
  }
}

/** cut returns an area of an image as a PNG file that the service accepts. */
export async function cut(image: ImageBitmap, area: Area): Promise<Uint8Array<ArrayBuffer>> {
  for (let side = longest; side >= 1; side = Math.floor(side / 2)) {
    const canvas = document.createElement("canvas");
    drawArea(canvas, image, area, scaled(area, side));
    const file = await png(canvas);
    if (file.byteLength <= maxBytes) {
      return file;
    }
  }
  throw new Error("an image of one pixel is too large");
}

async function png(canvas: HTMLCanvasElement): Promise<Uint8Array<ArrayBuffer>> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) {
    throw new Error("the image could not be drawn");
  }
  return new Uint8Array(await blob.arrayBuffer());
}
