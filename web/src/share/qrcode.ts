import { encode } from "uqr";

/** The width of the empty border that the standard asks for, in modules. */
const quiet = 4;

/** modulesOf returns the dark modules of a text's QR code, with its empty border. */
export function modulesOf(text: string): boolean[][] {
  return encode(text, { ecc: "M", border: quiet }).data;
}

/** outline draws each run of dark modules as one rectangle. */
export function outline(modules: boolean[][]): string {
  let d = "";
  modules.forEach((line, y) => {
    for (let x = 0; x < line.length; x++) {
      const start = x;
      while (line[x]) {
        x++;
      }
      if (x > start) {
        d += `M${start} ${y}h${x - start}v1h${start - x}z`;
      }
    }
  });
  return d;
}

/** svgOf returns a QR code as a file in SVG. */
export function svgOf(modules: boolean[][]): string {
  const size = modules.length;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size * 10}" height="${size * 10}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${outline(modules)}"/></svg>\n`;
}

/** pngOf returns a QR code as a file in PNG, with ten pixels for each module. */
export async function pngOf(modules: boolean[][]): Promise<Uint8Array<ArrayBuffer>> {
  const scale = 10;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = modules.length * scale;
  const context = canvas.getContext("2d");
  const blob = await new Promise<Blob | null>((resolve) => {
    if (!context) {
      resolve(null);
      return;
    }
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = "#000";
    modules.forEach((line, y) => {
      line.forEach((dark, x) => {
        if (dark) {
          context.fillRect(x * scale, y * scale, scale, scale);
        }
      });
    });
    canvas.toBlob(resolve, "image/png");
  });
  if (!blob) {
    throw new Error("the browser drew no picture");
  }
  return new Uint8Array(await blob.arrayBuffer());
}
