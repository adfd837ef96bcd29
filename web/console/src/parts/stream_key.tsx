import type { Broadcast } from "../api/types";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { CodeBlock } from "../components/code_block";
import { Dialog } from "../components/dialog";

// What a broadcaster is set up with.
export function BroadcastSettings({ server, streamKey }: { server: string; streamKey: string }) {
  return (
    <>
      <CodeBlock text={server} language={t("radio.server")} />
      <CodeBlock text={streamKey} language={t("radio.key")} />
    </>
  );
}

// A new key, with what else a broadcaster needs.
export function StreamKeyDialog({ broadcast: { stream, obsSettings }, onClose }: { broadcast: Broadcast; onClose: () => void }) {
  return (
    <Dialog title={t("radio.ready", { name: stream.name })} onClose={onClose}>
      <p>{t(stream.wallet ? "radio.ready_wallet" : "radio.ready_text")}</p>
      {stream.wallet && <CodeBlock text={stream.id} language={t("radio.id")} />}
      <BroadcastSettings server={obsSettings.server} streamKey={obsSettings.streamKey} />
      <div class="actions">
        <Button kind="primary" onClick={onClose}>
          {t("keys.kept")}
        </Button>
      </div>
    </Dialog>
  );
}
