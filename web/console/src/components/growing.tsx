// A long list, drawn a piece at a time: the next piece is drawn when the end of the one before comes near the view.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props<T> {
  items: T[];
  children: (shown: T[]) => ComponentChildren;
}

const piece = 30;

export function Growing<T>({ items, children }: Props<T>) {
  const most = useSignal(piece);
  const end = useRef<HTMLDivElement>(null);
  const isWhole = items.length <= most.value;
  useEffect(() => {
    if (isWhole) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) most.value += piece;
      },
      { rootMargin: "100%" },
    );
    observer.observe(end.current!);
    return () => observer.disconnect();
  }, [isWhole, most.value]);
  return (
    <>
      {children(isWhole ? items : items.slice(0, most.value))}
      {!isWhole && <div ref={end} />}
    </>
  );
}
