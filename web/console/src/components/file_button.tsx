import { useRef } from "preact/hooks";
import { Button } from "./button";
import { Icon } from "./icon";

interface Props {
  disabled?: boolean;
  icon?: boolean; // drawn as a clip
  onFiles: (files: File[]) => void;
  children: string;
}

// Chooses files of this computer.
export function FileButton({ disabled = false, icon = false, onFiles, children }: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      {icon ? (
        <Button kind="ghost" class="icon-only" label={children} title={children} disabled={disabled} onClick={() => input.current?.click()}>
          <Icon name="attach" />
        </Button>
      ) : (
        <Button disabled={disabled} onClick={() => input.current?.click()}>
          {children}
        </Button>
      )}
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
