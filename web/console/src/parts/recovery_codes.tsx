import { t } from "../app/i18n";
import { Button } from "../components/button";
import { CodeBlock } from "../components/code_block";
import { Dialog } from "../components/dialog";

interface Props {
  codes: string[];
  onClose: () => void;
}

export function RecoveryCodesDialog({ codes, onClose }: Props) {
  return (
    <Dialog title={t("codes.made")} onClose={onClose}>
      <p>{t("codes.made_text")}</p>
      <CodeBlock text={codes.join("\n")} />
      <div class="actions">
        <Button kind="primary" onClick={onClose}>
          {t("codes.kept")}
        </Button>
      </div>
    </Dialog>
  );
}
