// Saves what usage a table or chart shows as comma-separated values, with all digits.
import type { UsageRow } from "../api/types";
import { csv, download } from "../app/download";
import { t } from "../app/i18n";
import { Button } from "../components/button";

interface Props {
  title: string;
  file: string; // without its ending
  rows: { name: string; usage: UsageRow["usage"] }[];
}

export function SaveCsv({ title, file, rows }: Props) {
  const save = () => {
    const head = [t("usage.name"), t("usage.calls"), t("usage.tokens_in"), t("usage.tokens_out"), t("usage.cost")];
    const lines = rows.map(({ name, usage }) => [name, usage.calls, usage.inputTokens, usage.outputTokens, usage.cost]);
    download(`${file}.csv`, csv([head, ...lines]), "text/csv");
  };
  return (
    <Button class="small" onClick={save} label={t("usage.save_csv_of", { title })}>
      {t("usage.save_csv")}
    </Button>
  );
}
