import type { JSX } from "preact";

/** Shapes that tell states apart without colour, and a few signs. Drawn on a grid of 16. */
const PATHS = {
  good: "M8 1.500a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13ZM5 8.200l2.100 2.100L11.200 6",
  busy: "M14 8a6 6 0 1 1-3-5.200M8 4.800V8l2.200 1.400",
  warn: "M8 2 1.600 13.500h12.800L8 2ZM8 6.500v3M8 11.500v.01",
  bad: "M5.200 1.500h5.600l3.700 3.700v5.600l-3.700 3.700H5.200l-3.700-3.700V5.200l3.700-3.700ZM5.800 5.800l4.400 4.400M10.200 5.800l-4.400 4.400",
  hold: "M3.500 2h9A1.500 1.500 0 0 1 14 3.500v9a1.500 1.500 0 0 1-1.500 1.500h-9A1.500 1.500 0 0 1 2 12.500v-9A1.500 1.500 0 0 1 3.500 2ZM6.400 5.500v5M9.600 5.500v5",
  quiet: "M8 1.500a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13ZM5 8h6",
  overview: "M2 9.500 8 3l6 6.500M4 8v5.500h8V8",
  addons: "M2 4.500h12M2 4.500v8A1.500 1.500 0 0 0 3.500 14h9a1.500 1.500 0 0 0 1.500-1.500v-8M4 2h8l2 2.500M6 8h4",
  objects: "M2 4h12M2 8h12M2 12h12",
  history: "M2.500 5.500A6 6 0 1 1 2 8M2 3v3h3M8 5v3.200l2.200 1.300",
  light:
    "M8 4.800a3.200 3.200 0 1 0 0 6.400 3.200 3.200 0 0 0 0-6.400ZM8 1v1.300M8 13.700V15M1 8h1.300M13.700 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  dark: "M13.500 9.500A6 6 0 0 1 6.500 2.500a6 6 0 1 0 7 7Z",
  system: "M2.500 3h11v8h-11V3ZM6 14h4M8 11v3",
  search: "M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9ZM10.400 10.400 14 14",
  close: "M4 4l8 8M12 4l-8 8",
  user: "M8 2.500a2.700 2.700 0 1 0 0 5.400 2.700 2.700 0 0 0 0-5.400ZM2.800 14c.5-2.800 2.500-4.300 5.200-4.300s4.700 1.500 5.200 4.300",
  back: "M9.500 3.500 5 8l4.500 4.500",
  file: "M4 1.800h5l3.500 3.500v9H4v-12.500ZM9 1.800v3.500h3.500",
} as const;

/** Names of the signs. */
export type IconName = keyof typeof PATHS;

/** A sign; always beside a text that says the same, so that it is hidden from screen readers. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): JSX.Element {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
