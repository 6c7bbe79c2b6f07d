/* Draws the application's icon with a check on it. The policy of the page allows pictures of its own, and no other. */
import { keyhole } from "../mark";

const side = 64;

/** badgeIcon puts a check on the page's icon. It returns a function that takes it away. */
export function badgeIcon(): () => void {
  const before = [...document.head.querySelectorAll<HTMLLinkElement>('link[rel="icon"]')];
  const badged = document.createElement("link");
  badged.rel = "icon";
  badged.href = drawn();
  for (const link of before) {
    link.remove();
  }
  document.head.append(badged);
  return () => badged.replaceWith(...before);
}

function drawn(): string {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const context = canvas.getContext("2d");
  if (context) {
    draw(context);
  }
  return canvas.toDataURL("image/png");
}

function draw(context: CanvasRenderingContext2D): void {
  context.fillStyle = "#0b5a60";
  context.beginPath();
  context.roundRect(0, 0, side, side, 16);
  context.fill();
  context.fillStyle = "#f4f6f6";
  context.fill(new Path2D(keyhole));
  context.fillStyle = "#1b6b3a";
  context.strokeStyle = "#ffffff";
  context.lineWidth = 4;
  context.beginPath();
  context.arc(45, 45, 17, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
  context.lineWidth = 6;
  context.lineCap = context.lineJoin = "round";
  context.stroke(new Path2D("M37 45.5l6 6L53 40"));
}
