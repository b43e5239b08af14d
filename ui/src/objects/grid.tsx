import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { ObjectRow } from "../../../src/http/dashboard/types.ts";
import { kindOf, oneLine } from "../format.ts";
import { READINESS, STATES, Status } from "../parts/status.tsx";
import { hrefOf } from "../router.ts";
import { listWindow, rowAfterKey, scrollToRow } from "./window.ts";

const OVERSCAN = 8;
/** As `--row-height` of the style sheet says, wide and narrow. */
const WIDE_ROW = 44;
const NARROW_ROW = 76;
const NARROW = "(max-width: 760px)";

/**
 * Ten thousand rows of which only what is seen is drawn: elements with the roles of a grid, because a table cannot leave
 * out rows, and one
 * stop of the tab key with `aria-activedescendant`, because rows come and go under the focus. Arrows, Page Up and Down, Home and End
 * (or j and k) move, Enter opens.
 */
export function ObjectGrid({ rows }: { readonly rows: readonly ObjectRow[] }): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const slice = useRef<HTMLDivElement>(null);
  const scrollTop = useSignal(0);
  const viewport = useSignal(600);
  const rowHeight = useSignal(matchMedia(NARROW).matches ? NARROW_ROW : WIDE_ROW);
  const active = useSignal(0);
  useGeometry(scroller, viewport, rowHeight);
  const at = Math.min(active.value, Math.max(0, rows.length - 1));
  const geometry = { rowHeight: rowHeight.value, scrollTop: scrollTop.value, viewport: viewport.value };
  const shown = listWindow({ ...geometry, rows: rows.length, overscan: OVERSCAN });
  // Through the style object: the content security policy forbids style attributes.
  useLayoutEffect(() => {
    if (canvas.current !== null) canvas.current.style.height = `${shown.height}px`;
    if (slice.current !== null) slice.current.style.transform = `translateY(${shown.offset}px)`;
  }, [shown.height, shown.offset]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const row = rows[at];
    if (event.key === "Enter" && row !== undefined) {
      location.hash = hrefOf("object", { key: row.key });
      return;
    }
    const page = Math.max(1, Math.floor(viewport.value / rowHeight.value) - 1);
    const next = rowAfterKey(event.key, at, { rows: rows.length, page });
    if (next === undefined) return;
    event.preventDefault();
    active.value = next;
    if (scroller.current !== null)
      scroller.current.scrollTop = scrollToRow(next, { ...geometry, scrollTop: scroller.current.scrollTop });
  };
  return (
    <div
      class="grid"
      role="grid"
      aria-label="Objects"
      aria-rowcount={rows.length + 1}
      aria-colcount={5}
      aria-activedescendant={rows.length === 0 ? undefined : rowId(at)}
      tabIndex={0}
      ref={scroller}
      onScroll={(event) => (scrollTop.value = event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <GridHead />
      <div class="grid-canvas" role="rowgroup" ref={canvas}>
        <div class="grid-slice" role="presentation" ref={slice}>
          {rows.slice(shown.from, shown.to).map((row, index) => (
            <GridRow key={row.key} row={row} index={shown.from + index} isActive={shown.from + index === at} />
          ))}
        </div>
      </div>
    </div>
  );
}

function rowId(index: number): string {
  return `object-${index}`;
}

function GridHead(): JSX.Element {
  return (
    <div role="rowgroup" class="grid-headgroup">
      <div class="grid-row grid-head" role="row" aria-rowindex={1}>
        {["State", "Kind", "Namespace", "Name", "Readiness"].map((title) => (
          <span key={title} role="columnheader">
            {title}
          </span>
        ))}
      </div>
    </div>
  );
}

function GridRow(props: { readonly row: ObjectRow; readonly index: number; readonly isActive: boolean }): JSX.Element {
  const { row, index, isActive } = props;
  return (
    <div
      class={`grid-row${isActive ? " is-active" : ""}`}
      role="row"
      id={rowId(index)}
      aria-rowindex={index + 2}
      aria-selected={isActive}
    >
      <span role="gridcell" class="cell-state">
        <Status look={STATES[row.state]} small />
      </span>
      <span role="gridcell" class="cell-kind">
        {kindOf(row)}
      </span>
      <span role="gridcell" class="cell-namespace">
        {oneLine(row.namespace, 80)}
      </span>
      <span role="gridcell" class="cell-name">
        <a href={hrefOf("object", { key: row.key })} tabIndex={-1}>
          {oneLine(row.name, 260)}
        </a>
        {row.message !== undefined && <small>{oneLine(row.message, 160)}</small>}
      </span>
      <span role="gridcell" class="cell-readiness">
        <Status look={READINESS[row.readiness]} small />
      </span>
    </div>
  );
}

function useGeometry(
  scroller: { readonly current: HTMLDivElement | null },
  viewport: { value: number },
  rowHeight: { value: number },
): void {
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const narrow = matchMedia(NARROW);
    const measure = (): void => {
      viewport.value = element.clientHeight;
      rowHeight.value = narrow.matches ? NARROW_ROW : WIDE_ROW;
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    narrow.addEventListener("change", measure);
    measure();
    return () => {
      observer.disconnect();
      narrow.removeEventListener("change", measure);
    };
  }, []);
}
