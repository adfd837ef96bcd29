import { Dialog } from "./dialog";

interface Props {
  codes: string[];
  onClose: () => void;
}

export function RecoveryCodesDialog({ codes, onClose }: Props) {
  return (
    <Dialog title="Your recovery codes" onClose={onClose}>
      <p>
        Each stands for your second factor once, when phone and passkeys are out of reach. They are shown this once: print
        them, or keep them where you keep passwords.
      </p>
      <pre class="command">{codes.join("\n")}</pre>
      <div class="actions">
        <button type="button" onClick={() => void navigator.clipboard?.writeText(codes.join("\n"))}>
          Copy
        </button>
        <button type="button" class="primary" onClick={onClose}>
          I have kept them
        </button>
      </div>
    </Dialog>
  );
}
