// What all pages of administrators share: the way to the others, and the proof that changes need.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { type Key, t } from "../app/i18n";
import { location } from "../app/router";
import { Link } from "../components/link";
import { StepUp } from "./step_up_dialog";

const groups: { title: Key; pages: [string, Key][] }[] = [
  {
    title: "admin.people",
    pages: [
      ["/admin/users", "page.users"],
      ["/admin/requests", "page.requests"],
      ["/admin/invitations", "page.invitations"],
      ["/admin/outbox", "page.outbox"],
    ],
  },
  {
    title: "admin.work",
    pages: [
      ["/admin/agents", "page.all_agents"],
      ["/admin/models", "page.models"],
    ],
  },
  {
    title: "admin.box",
    pages: [
      ["/admin/settings", "page.box_settings"],
      ["/admin/metrics", "page.metrics"],
      ["/admin/backups", "page.backups"],
      ["/admin/keys", "page.operator_keys"],
      ["/admin/git", "page.git_hosts"],
    ],
  },
  {
    title: "admin.records",
    pages: [
      ["/admin/audit", "page.audit"],
      ["/admin/events", "page.events"],
      ["/admin/egress", "page.egress"],
    ],
  },
];

export function AdminFrame({ children }: { children: ComponentChildren }) {
  const here = location.value.pathname;
  const open = useSignal(false);
  const all = groups.flatMap(({ pages }) => pages);
  const current = all.find(([to]) => to === here)?.[1] ?? "page.admin";
  return (
    <div class="column wide-column admin">
      <h1>{t("page.admin")}</h1>
      <div class="admin-body">
        <div class={open.value ? "side open" : "side"}>
          <button
            type="button"
            class="side-button"
            aria-expanded={open.value}
            aria-controls="admin-pages"
            onClick={() => (open.value = !open.value)}
          >
            {t(current)}
          </button>
          <nav id="admin-pages" aria-label={t("admin.pages")}>
            {groups.map(({ title, pages }) => (
              <section key={title}>
                <h2>{t(title)}</h2>
                <ul>
                  {pages.map(([to, name]) => (
                    <li key={to}>
                      <Link to={to} current={to === here}>
                        {t(name)}
                      </Link>
                    </li>
                  ))}
                </ul>
              </section>
            ))}
          </nav>
        </div>
        <div class="admin-content">{children}</div>
      </div>
      <StepUp />
    </div>
  );
}
