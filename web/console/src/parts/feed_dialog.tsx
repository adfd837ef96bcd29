import { type Answer, call } from "../api/client";
import { t } from "../app/i18n";
import { Dialog } from "../components/dialog";
import { Field, Select } from "../components/field";
import { Form, textOf } from "../components/form";
import { confirmed } from "../step_up";

export type FeedSource = Answer<"GET /api/admin/data-feeds">["feeds"][number];

interface Props {
  feed: FeedSource | undefined; // one that there is, to change
  onClose: () => void;
  onSaved: () => Promise<unknown>;
}

// Where administrators say what the box fetches.
export function FeedDialog({ feed, onClose, onSaved }: Props) {
  const save = async (values: FormData) => {
    const minutes = textOf(values, "minutes").trim();
    const description = textOf(values, "description").trim();
    const path = { name: feed?.name ?? textOf(values, "name").trim() };
    const body = {
      kind: textOf(values, "kind") as "json" | "rss",
      url: textOf(values, "url").trim(),
      ...(description && { description }),
      ...(minutes && { intervalSeconds: Number(minutes) * 60 }),
    };
    await confirmed(() => call("PUT /api/admin/data-feeds/{name}", { path, body }));
    await onSaved();
    onClose();
  };
  return (
    <Dialog title={feed ? feed.name : t("feeds.new")} onClose={onClose}>
      <Form submit={t("action.save")} onCancel={onClose} onSubmit={save}>
        {!feed && <Field label={t("feeds.name")} name="name" required autoFocus maxLength={64} autocomplete="off" spellcheck={false} />}
        <Select label={t("feeds.kind")} name="kind" defaultValue={feed?.kind ?? "rss"}>
          <option value="rss">{t("feeds.kind.rss")}</option>
          <option value="json">{t("feeds.kind.json")}</option>
        </Select>
        <Field label={t("feeds.url")} name="url" type="url" required maxLength={2_000} autocomplete="off" defaultValue={feed?.url ?? ""} />
        <Field
          label={t("feeds.description")}
          name="description"
          maxLength={500}
          autocomplete="off"
          dir="auto"
          defaultValue={feed?.description ?? ""}
        />
        <Field
          label={t("feeds.minutes")}
          name="minutes"
          type="number"
          min={1}
          step={1}
          defaultValue={feed?.intervalSeconds ? String(Math.ceil(feed.intervalSeconds / 60)) : ""}
          placeholder="15"
        />
      </Form>
    </Dialog>
  );
}
