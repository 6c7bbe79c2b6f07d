/** Area is a part of an image, in image pixels. */
export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Size is the size of an image. */
export interface Size {
  width: number;
  height: number;
}

/** Grip is what the pointer drags: a corner, or the whole area. */
export type Grip = "nw" | "ne" | "sw" | "se" | "middle";

/** leastOf returns the shortest side that an area of an image may have. */
export function leastOf(image: Size): number {
  return Math.min(16, image.width, image.height);
}

/** The longest side of an uploaded image. */
export const longest = 512;

/** largest returns the largest area of an image. */
export function largest(image: Size, square: boolean): Area {
  if (!square) {
    return { x: 0, y: 0, width: image.width, height: image.height };
  }
  const side = Math.min(image.width, image.height);
  return {
    x: Math.floor((image.width - side) / 2),
    y: Math.floor((image.height - side) / 2),
    width: side,
    height: side,
  };
}

/** drag moves a corner or the whole area, and stays within the image. */
export function drag(area: Area, grip: Grip, dx: number, dy: number, image: Size, square: boolean): Area {
  if (grip === "middle") {
    return fit({ ...area, x: area.x + dx, y: area.y + dy }, image);
  }
  const [west, north] = [grip.endsWith("w"), grip.startsWith("n")];
  // The opposite corner stays where it is.
  const anchor = { x: west ? area.x + area.width : area.x, y: north ? area.y + area.height : area.y };
  const room = { width: west ? anchor.x : image.width - anchor.x, height: north ? anchor.y : image.height - anchor.y };
  const least = leastOf(image);
  let width = between(area.width + (west ? -dx : dx), least, room.width);
  let height = between(area.height + (north ? -dy : dy), least, room.height);
  if (square) {
    width = height = Math.min(Math.max(width, height), room.width, room.height);
  }
  return whole({ x: west ? anchor.x - width : anchor.x, y: north ? anchor.y - height : anchor.y, width, height });
}

/** fit moves and shrinks an area until it lies within an image. */
export function fit(area: Area, image: Size): Area {
  const width = between(area.width, leastOf(image), image.width);
  const height = between(area.height, leastOf(image), image.height);
  return whole({
    x: between(area.x, 0, image.width - width),
    y: between(area.y, 0, image.height - height),
    width,
    height,
  });
}

/** edges moves one edge of an area. */
export function edges(area: Area, side: "left" | "right" | "top" | "bottom", at: number, image: Size): Area {
  switch (side) {
    case "left":
      return drag(area, "nw", at - area.x, 0, image, false);
    case "right":
      return drag(area, "se", at - area.x - area.width, 0, image, false);
    case "top":
      return drag(area, "nw", 0, at - area.y, image, false);
    case "bottom":
      return drag(area, "se", 0, at - area.y - area.height, image, false);
  }
}

/** resize changes the side of a square around its centre. */
export function resize(area: Area, side: number, image: Size): Area {
  const length = between(side, leastOf(image), Math.min(image.width, image.height));
  const shift = (area.width - length) / 2;
  return fit({ x: area.x + shift, y: area.y + shift, width: length, height: length }, image);
}

/** scaled returns the size of an area after it is scaled down to at most most pixels a side. */
export function scaled(area: Size, most: number = longest): Size {
  const factor = Math.min(1, most / Math.max(area.width, area.height));
  return {
    width: Math.max(1, Math.round(area.width * factor)),
    height: Math.max(1, Math.round(area.height * factor)),
  };
}

/** gripAt returns the grip under a point, or undefined if there is none. */
export function gripAt(area: Area, x: number, y: number, reach: number): Grip | undefined {
  const near = (px: number, py: number) => Math.hypot(px - x, py - y) <= reach;
  const [right, bottom] = [area.x + area.width, area.y + area.height];
  if (near(right, bottom)) {
    return "se";
  }
  if (near(area.x, area.y)) {
    return "nw";
  }
  if (near(right, area.y)) {
    return "ne";
  }
  if (near(area.x, bottom)) {
    return "sw";
  }
  return x >= area.x && x <= right && y >= area.y && y <= bottom ? "middle" : undefined;
}

function between(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

function whole(area: Area): Area {
  return {
    x: Math.round(area.x),
    y: Math.round(area.y),
    width: Math.round(area.width),
    height: Math.round(area.height),
  };
}
