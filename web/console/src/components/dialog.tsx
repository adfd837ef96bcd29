import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

interface Props {
  title: string;
  onClose: () => void;
  class?: string;
  dismissible?: boolean; // a click beside it closes it: for dialogs in which nothing can be lost
  children: ComponentChildren;
}

// A modal dialog: the browser keeps the focus inside, closes it on Escape, and gives the focus back afterwards.
export function Dialog({ title, onClose, class: extra, dismissible = false, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={extra}
      aria-labelledby={id}
      onCancel={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
      onClick={(event) => {
        if (dismissible && event.target === event.currentTarget) onClose();
      }}
    >
      <h2 id={id} dir="auto">
        {title}
      </h2>
      {children}
    </dialog>
  );
}
