/** Which part of a long list is drawn. Lengths are pixels. */
export interface ListWindow {
  /** First drawn row. */
  readonly from: number;
  /** One after the last drawn row. */
  readonly to: number;
  /** Of the first drawn row from the top of the list. */
  readonly offset: number;
  /** Of the whole list. */
  readonly height: number;
}

/** What a window is computed from. */
export interface ListGeometry {
  readonly rows: number;
  readonly rowHeight: number;
  readonly scrollTop: number;
  readonly viewport: number;
  /** Rows drawn beyond each edge, so that a fast scroll shows no gap. */
  readonly overscan: number;
}

/** The window of a list with rows of one height. Never larger than what is seen and twice the overscan. */
export function listWindow({ rows, rowHeight, scrollTop, viewport, overscan }: ListGeometry): ListWindow {
  const height = rows * rowHeight;
  const top = Math.max(0, Math.min(scrollTop, Math.max(0, height - viewport)));
  const from = Math.max(0, Math.floor(top / rowHeight) - overscan);
  const to = Math.min(rows, Math.ceil((top + viewport) / rowHeight) + overscan);
  return { from, to, offset: from * rowHeight, height };
}

/** Where to scroll so that a row is seen whole; the present place where it already is. `header` covers the top. */
export function scrollToRow(row: number, geometry: Omit<ListGeometry, "overscan" | "rows">): number {
  const { rowHeight, scrollTop, viewport } = geometry;
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + viewport) return top + rowHeight - viewport;
  return scrollTop;
}

/** The row that a key leads to; undefined where the key is not one that moves. */
export function rowAfterKey(
  key: string,
  at: number,
  list: { readonly rows: number; readonly page: number },
): number | undefined {
  const last = list.rows - 1;
  const to = (row: number): number => Math.max(0, Math.min(last, row));
  switch (key) {
    case "ArrowDown":
    case "j":
      return to(at + 1);
    case "ArrowUp":
    case "k":
      return to(at - 1);
    case "PageDown":
      return to(at + list.page);
    case "PageUp":
      return to(at - list.page);
    case "Home":
      return 0;
    case "End":
      return Math.max(0, last);
    default:
      return undefined;
  }
}
