import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

interface Props {
  label: string; // what becomes of files that are let go here
  class?: string;
  onFiles: (files: File[]) => void;
  children: ComponentChildren;
}

// Content that takes files dropped on it. There is always another way to choose them, for those without a mouse.
export function DropZone({ label, class: className = "", onFiles, children }: Props) {
  const over = useSignal(0); // elements inside that the files have been dragged into and not out of
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  return (
    <div
      class={`drop-zone ${className} ${over.value > 0 ? "over" : ""}`.trim()}
      onDragEnter={(event) => {
        if (hasFiles(event)) over.value++;
      }}
      onDragLeave={(event) => {
        if (hasFiles(event)) over.value = Math.max(0, over.value - 1);
      }}
      onDragOver={(event) => {
        if (hasFiles(event)) event.preventDefault();
      }}
      onDrop={(event) => {
        over.value = 0;
        if (!hasFiles(event)) return;
        event.preventDefault();
        onFiles([...event.dataTransfer!.files]);
      }}
    >
      {children}
      {over.value > 0 && (
        <p class="drop-hint" role="status">
          {label}
        </p>
      )}
    </div>
  );
}
