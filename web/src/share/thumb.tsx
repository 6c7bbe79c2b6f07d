import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../ui";

/** The side of a picture, in pixels of screens with two of them for one of the style sheet. */
const side = 96;
/** A larger picture is not read for its thumbnail. */
const mostRead = 32 << 20;

/** Thumb shows a picture small, and any other file by its kind. The picture stays on the device. */
export function Thumb({ source, name }: { source: File; name: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drawn, setDrawn] = useState(false);
  useEffect(() => {
    let current = true;
    setDrawn(false);
    if (isPicture(source) && canvas.current) {
      draw(source, canvas.current).then(
        () => current && setDrawn(true),
        () => undefined, // no browser can show it
      );
    }
    return () => {
      current = false;
    };
  }, [source]);
  return (
    <span class="thumb" aria-hidden="true">
      <canvas ref={canvas} width={side} height={side} hidden={!drawn} />
      {!drawn && <FileKind name={name} />}
    </span>
  );
}

/** FileLine shows a file that was shared: its kind, name and size. */
export function FileLine({ name, size }: { name: string; size: string }) {
  return (
    <div class="file-line">
      <span class="thumb" aria-hidden="true">
        <FileKind name={name} />
      </span>
      <p>
        <strong class="file-name" dir="auto">
          {name}
        </strong>
        <span class="muted small">{size}</span>
      </p>
    </div>
  );
}

/** FileKind is the ending of a file's name, which everyone reads, or the picture of a file. */
function FileKind({ name }: { name: string }) {
  const ending = /.\.([0-9a-z]{1,4})$/i.exec(name)?.[1];
  return ending ? <span class="thumb-kind">{ending.toUpperCase()}</span> : <Icon name="file" />;
}

function isPicture({ type, size }: File): boolean {
  return /^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(type) && size <= mostRead;
}

/** draw fills a canvas with the middle of a picture. A canvas needs no address that the policy of the page would have to allow. */
async function draw(source: File, canvas: HTMLCanvasElement): Promise<void> {
  const picture = await createImageBitmap(source);
  const least = Math.min(picture.width, picture.height);
  const [x, y] = [(picture.width - least) / 2, (picture.height - least) / 2];
  canvas.getContext("2d")?.drawImage(picture, x, y, least, least, 0, 0, side, side);
  picture.close();
}
