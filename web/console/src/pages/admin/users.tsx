import { useSignal } from "@preact/signals";
import { maySee } from "../../account";
import { call } from "../../api/client";
import type { User } from "../../api/types";
import { date } from "../../app/format";
import { named, t } from "../../app/i18n";
import { parameter } from "../../app/router";
import { Button } from "../../components/button";
import { Dialog } from "../../components/dialog";
import { Checkbox, Field, Select } from "../../components/field";
import { Form, textOf } from "../../components/form";
import { Link } from "../../components/link";
import { AdminFrame } from "../../parts/admin_frame";
import { PagedTable, usePages } from "../../parts/paged_table";
import { UserDetail } from "../../parts/user_detail";
import { plans, userAddress, UserState } from "../../parts/user_state";
import { confirmed } from "../../step_up";

const pageSize = 200;

export default function UsersPage() {
  const id = parameter("user");
  return <AdminFrame>{id ? <UserDetail key={id} id={id} /> : <Users />}</AdminFrame>;
}

const states: Record<string, (user: User) => boolean> = {
  admin: ({ isAdmin }) => isAdmin,
  disabled: ({ isDisabled }) => isDisabled,
  unverified: ({ emailVerified }) => !emailVerified,
  no_plan: ({ plan }) => !plan,
  no_factor: ({ secondFactor }) => !secondFactor,
};

function Users() {
  const creating = useSignal(false);
  // The box looks through all users, the list through those that it has found.
  const search = parameter("q").trim();
  const pages = usePages(
    async (after?: string) => {
      const query = { limit: pageSize, after: after === undefined ? undefined : Number(after), search: search || undefined };
      const { users, next } = await call("GET /api/admin/users", { query });
      return { items: users, next: next ?? undefined };
    },
    [search],
  );
  return (
    <>
      <div class="page-head">
        <h1>{t("page.users")}</h1>
        {maySee("admin") && (
          <Button kind="primary" onClick={() => (creating.value = true)}>
            {t("users.new")}
          </Button>
        )}
      </div>
      <PagedTable
        of={pages}
        title={t("page.users")}
        columns={[
          { title: t("users.email"), sort: "email" },
          { title: t("users.name"), sort: "name" },
          { title: t("users.plan"), sort: "plan" },
          t("users.state"),
          { title: t("users.since"), sort: "since" },
        ]}
        view={{
          text: ({ email, name, id }) => `${email} ${name} ${id}`,
          sorts: {
            email: ({ email }) => email,
            name: ({ name }) => name,
            plan: ({ plan }) => plan ?? "",
            since: ({ createdAt }) => createdAt,
          },
          by: "-since",
          filter: {
            title: t("users.state"),
            choices: Object.keys(states).map((value) => ({ value, title: named("users.filter", value) })),
            matches: (user, value) => states[value]!(user),
          },
        }}
        row={(user) => (
          <tr key={user.id}>
            <th scope="row">
              <Link to={userAddress(user.id)} entry>
                <bdi>{user.email}</bdi>
              </Link>
            </th>
            <td>
              <bdi>{user.name || "–"}</bdi>
            </td>
            <td>{user.plan ?? "–"}</td>
            <td>
              <UserState user={user} />
            </td>
            <td>{date(user.createdAt)}</td>
          </tr>
        )}
      />
      {creating.value && <NewUserDialog onClose={() => (creating.value = false)} onMade={pages.reload} />}
    </>
  );
}

function NewUserDialog({ onClose, onMade }: { onClose: () => void; onMade: () => Promise<void> }) {
  const create = async (values: FormData) => {
    const password = textOf(values, "password");
    const name = textOf(values, "name").trim();
    const plan = textOf(values, "plan");
    await confirmed(() =>
      call("POST /api/admin/users", {
        body: {
          email: textOf(values, "email").trim(),
          isAdmin: values.has("isAdmin"),
          emailVerified: values.has("emailVerified"),
          ...(password && { password }),
          ...(name && { name }),
          ...(plan && { plan }),
        },
      }),
    );
    onClose();
    await onMade();
  };
  return (
    <Dialog title={t("users.new")} onClose={onClose}>
      <Form submit={t("files.create")} onCancel={onClose} onSubmit={create}>
        <Field label={t("users.email")} name="email" type="email" required autoFocus maxLength={254} autocomplete="off" />
        <Field label={t("users.name")} name="name" maxLength={100} autocomplete="off" dir="auto" />
        <Field
          label={t("users.password")}
          name="password"
          type="password"
          minLength={8}
          maxLength={256}
          autocomplete="new-password"
          hint={t("users.password_hint")}
        />
        <Select label={t("users.plan")} name="plan">
          <option value="">{t("home.no_plan")}</option>
          {plans.map((plan) => (
            <option key={plan} value={plan}>
              {plan}
            </option>
          ))}
        </Select>
        <Checkbox label={t("users.is_admin")} name="isAdmin" />
        <Checkbox label={t("users.verified")} name="emailVerified" />
      </Form>
    </Dialog>
  );
}
