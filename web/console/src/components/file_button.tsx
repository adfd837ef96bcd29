import { useRef } from "preact/hooks";
import { Button } from "./button";

interface Props {
  disabled?: boolean;
  onFiles: (files: File[]) => void;
  children: string;
}

// Chooses files of this computer.
export function FileButton({ disabled = false, onFiles, children }: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button disabled={disabled} onClick={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        tabIndex={-1}
        aria-label={children}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = ""; // the same file can be chosen again
        }}
      />
    </>
  );
}
