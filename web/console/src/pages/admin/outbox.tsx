import { call } from "../../api/client";
import type { Mail } from "../../api/types";
import { named, t } from "../../app/i18n";
import { Badge } from "../../components/badge";
import { EmptyState } from "../../components/empty_state";
import { List } from "../../components/list_tools";
import { Loaded, useLoad } from "../../components/loaded";
import { Time } from "../../components/time";
import { AdminFrame } from "../../parts/admin_frame";
import { confirmed } from "../../step_up";

const most = 500;
const tones = { pending: "busy", sent: "good", kept: "", failed: "bad" } as const;

export default function OutboxPage() {
  const list = useLoad(async () => (await confirmed(() => call("GET /api/admin/outbox", { query: { limit: most } }))).mails);
  return (
    <AdminFrame>
      <h1>{t("page.outbox")}</h1>
      <p class="quiet">{t("outbox.about")}</p>
      <Loaded of={list}>
        {(mails) =>
          mails.length === 0 ? (
            <EmptyState title={t("outbox.empty")} text={t("outbox.empty_text")} />
          ) : (
            <List
              items={mails}
              label={t("page.outbox")}
              view={{
                text: ({ to, subject, body }) => `${to} ${subject} ${body}`,
                orders: [
                  { value: "newest", title: t("sort.newest"), compare: (a, b) => b.createdAt.localeCompare(a.createdAt) },
                  { value: "oldest", title: t("sort.oldest"), compare: (a, b) => a.createdAt.localeCompare(b.createdAt) },
                ],
                filter: {
                  title: t("outbox.delivery"),
                  choices: Object.keys(tones).map((value) => ({ value, title: named("outbox", value) })),
                  matches: ({ delivery }, value) => delivery === value,
                },
              }}
            >
              {(found) => (
                <ul class="rows">
                  {found.map((mail) => (
                    <Row key={mail.id} mail={mail} />
                  ))}
                </ul>
              )}
            </List>
          )
        }
      </Loaded>
    </AdminFrame>
  );
}

function Row({ mail }: { mail: Mail }) {
  return (
    <li>
      <details>
        <summary>
          <bdi>{mail.subject}</bdi> <Badge tone={tones[mail.delivery]}>{named("outbox", mail.delivery)}</Badge>
        </summary>
        <p class="quiet">
          <bdi>{mail.to}</bdi> · <Time at={mail.createdAt} />
        </p>
        {mail.problem && <p class="cause">{mail.problem}</p>}
        <p class="words" dir="auto">
          {mail.body}
        </p>
      </details>
    </li>
  );
}
