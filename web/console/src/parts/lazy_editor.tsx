import { signal } from "@preact/signals";
import { t } from "../app/i18n";
import { Loading } from "../components/empty_state";

interface Props {
  name: string; // of the file
  text: string; // at first
  onChange: (text: string) => void;
  onSave: () => void;
}

type Module = typeof import("../components/code_editor");

const editor = signal<Module | "failed" | undefined>(undefined);
let loading = false;

async function load() {
  loading = true;
  try {
    editor.value = await import("../components/code_editor");
  } catch {
    editor.value = "failed";
  }
}

// The editor, whose code is loaded when the first file is opened. Where it cannot be loaded, a plain field does.
export function LazyEditor(props: Props) {
  const found = editor.value;
  if (!found) {
    if (!loading) void load();
    return <Loading />;
  }
  const label = t("files.text_of", { name: props.name });
  if (found === "failed") {
    return (
      <textarea
        class="plain-editor"
        aria-label={label}
        rows={24}
        spellcheck={false}
        dir="ltr"
        defaultValue={props.text}
        onInput={(event) => props.onChange(event.currentTarget.value)}
      />
    );
  }
  return <found.CodeEditor {...props} label={label} />;
}
