import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { useStore } from "../store.ts";

/** A dialog on top of the page: the browser keeps the focus inside and gives it back, Escape closes. */
export function Dialog({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { dialog } = useStore();
  const element = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  useEffect(() => {
    const open = element.current;
    if (open !== null && !open.open) open.showModal();
    return () => {
      // Another dialog may have come in its place: the end of this one must not close that.
      isGone.current = true;
      open?.close();
    };
  }, []);
  const close = (): void => {
    if (!isGone.current) dialog.value = undefined;
  };
  return (
    <dialog ref={element} class="dialog" aria-labelledby="dialog-title" onClose={close}>
      <header class="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
