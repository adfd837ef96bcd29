import { useSignal } from "@preact/signals";
import { t } from "../app/i18n";
import { parameter } from "../app/router";
import type { Workspace } from "../workspace";
import { FileTree } from "./file_tree";
import { FileView } from "./file_view";

// The tree of files and the file that the address names (?path=), beside each other; on a phone the one or the other.
export function FileBrowser({ of }: { of: Workspace }) {
  const path = parameter("path");
  const changed = useSignal(0); // counts changes of the tree
  return (
    <div class={path ? "workspace open" : "workspace"}>
      <FileTree of={of} open={path} version={changed.value} onChanged={() => changed.value++} />
      <div class="file">
        {path ? <FileView key={path} of={of} path={path} onChanged={() => changed.value++} /> : <p class="quiet">{t("files.choose")}</p>}
      </div>
    </div>
  );
}
