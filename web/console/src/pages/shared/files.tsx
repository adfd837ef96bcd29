import type { PageProps } from "../../app/pages";
import { FileBrowser } from "../../parts/file_browser";
import { SharedFrame } from "../../parts/shared_frame";

// The workspace of a shared agent, for its builders. Its history and what its tools have read are the owner's.
export default function SharedFilesPage({ id }: PageProps) {
  return (
    <SharedFrame id={id} tab="files">
      {(agent) => (
        <div class="panel-body files">
          <FileBrowser of={{ id: agent.id, name: agent.name, shared: true }} />
        </div>
      )}
    </SharedFrame>
  );
}
