/** The icons, as paths in a square of 24, drawn in the colour of the text. */
const paths = {
  copy: "M9 9h10v11H9zM5 15V4h10",
  check: "M5 12.5l4.5 4.5L19 7.5",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  "eye-off":
    "M4 4l16 16M9.9 5.8A9 9 0 0 1 12 5.5c6 0 9.5 6.5 9.5 6.5a17 17 0 0 1-3 3.7M6.5 7.3A16 16 0 0 0 2.5 12S6 18.5 12 18.5a9 9 0 0 0 4-.9M10 10a3 3 0 0 0 4.1 4.1",
  download: "M12 4v11m0 0l-4.5-4.5M12 15l4.5-4.5M5 20h14",
  share: "M12 15V4m0 0L8 8m4-4l4 4M6 12H5v8h14v-8h-1",
  qr: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2zM18 14h2M14 18v2",
  fire: "M12 3s1 3-1.5 5.5S7 12 7 14.5a5 5 0 0 0 10 0c0-2-1-3.5-1-3.5s-.5 1.5-1.7 1.7C14.5 9 14 5.5 12 3z",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  key: "M8 17a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM11.5 11.5L20 4m-3 3l2.5 2.5",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  receipt: "M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6",
  refresh: "M20 11a8 8 0 1 0-2 6.5M20 5v6h-6",
  print: "M7 8V4h10v4M7 17H4v-8h16v8h-3M7 14h10v6H7z",
  bell: "M6 17h12l-1.5-2.5V10a4.5 4.5 0 0 0-9 0v4.5zM10.5 20h3M12 5.5V4",
  mail: "M3.5 6h17v12h-17zM4 7l8 6 8-6",
  user: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20c.5-4 3.5-6 7.5-6s7 2 7.5 6",
  globe:
    "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3.5 12h17M12 3c2.5 2.5 3.5 5.5 3.5 9s-1 6.5-3.5 9c-2.5-2.5-3.5-5.5-3.5-9s1-6.5 3.5-9z",
  theme: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 3v18M12 8l5-3M12 13l8.5-5M12 18l8.5-5",
  warn: "M12 4l9.5 16h-19zM12 10v4.5M12 17.2v.3",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5.5M12 7.5v.3",
  plus: "M12 5v14M5 12h14",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20",
  down: "M6 9.5l6 6 6-6",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  close: "M6 6l12 12M18 6L6 18",
  upload: "M12 19V8m0 0l-4.5 4.5M12 8l4.5 4.5M5 4h14",
} as const;

export type IconName = keyof typeof paths;

/** Icon is decorative: the text beside it has the meaning. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
