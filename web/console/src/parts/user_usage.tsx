import { call } from "../api/client";
import { compact, money, month, number } from "../app/format";
import { t } from "../app/i18n";
import { Loaded, useLoad } from "../components/loaded";
import { Table } from "../components/table";
import { Totals } from "./usage_totals";

// What a user has used this month, by model.
export function UserUsage({ id }: { id: string }) {
  const statement = useLoad(() => call("GET /api/admin/statement", { query: { user: id } }));
  return (
    <section class="card" aria-labelledby="user-usage-title">
      <h2 id="user-usage-title">{t("page.usage")}</h2>
      <Loaded of={statement}>
        {({ month: name, usage }) => (
          <>
            <p class="quiet">{month(name)}</p>
            <Totals usage={usage.total} />
            {usage.models.length > 0 && (
              <Table
                title={t("usage.by_model")}
                columns={[
                  t("usage.model"),
                  { title: t("usage.calls"), align: "end" },
                  { title: t("usage.tokens_in"), align: "end" },
                  { title: t("usage.tokens_out"), align: "end" },
                  { title: t("usage.cost"), align: "end" },
                ]}
              >
                {usage.models.map(({ id: model, usage: used }) => (
                  <tr key={model}>
                    <th scope="row">{model}</th>
                    <td>{number(used.calls)}</td>
                    <td>{compact(used.inputTokens)}</td>
                    <td>{compact(used.outputTokens)}</td>
                    <td>{money(used.cost)}</td>
                  </tr>
                ))}
              </Table>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
