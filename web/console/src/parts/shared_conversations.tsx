// Which of the owner's conversations a share shows: those chosen, and a page of the others, which a search narrows.
import { type Signal, useSignal } from "@preact/signals";
import { call } from "../api/client";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { Checkbox, Field } from "../components/field";
import { useLoad } from "../components/loaded";

const pageSize = 20;

interface Props {
  agent: string;
  chosen: Signal<ReadonlySet<string>>;
}

export function SharedConversations({ agent, chosen }: Props) {
  const conversations = useLoad(async () => {
    const all = (await call("GET /api/agents/{id}/conversations", { path: { id: agent } })).conversations;
    return all.filter(({ audience }) => audience === "owner");
  });
  const first = useSignal(new Set(chosen.value)); // chosen when the dialog was opened: at the top from then on
  const search = useSignal("");
  const shown = useSignal(pageSize);
  const all = conversations.data.value ?? [];
  if (all.length === 0) return null;
  const words = search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const nameOf = (title: string) => title || t("talks.untitled");
  const found = all.filter(({ title }) => words.every((word) => nameOf(title).toLocaleLowerCase().includes(word)));
  const ordered = [...found.filter(({ id }) => first.value.has(id)), ...found.filter(({ id }) => !first.value.has(id))];
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(chosen.value);
    if (isChosen) next.add(id);
    else next.delete(id);
    chosen.value = next;
  };
  return (
    <fieldset>
      <legend>{t("sharing.conversations")}</legend>
      {all.length > pageSize && (
        <Field
          label={t("list.search")}
          type="search"
          value={search.value}
          maxLength={200}
          autocomplete="off"
          onInput={(event) => {
            search.value = event.currentTarget.value;
            shown.value = pageSize;
          }}
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
      )}
      {ordered.slice(0, shown.value).map(({ id, title }) => (
        <Checkbox
          key={id}
          label={nameOf(title)}
          checked={chosen.value.has(id)}
          onChange={(event) => choose(id, event.currentTarget.checked)}
        />
      ))}
      {ordered.length > shown.value && <Button onClick={() => (shown.value += pageSize)}>{t("usage.more")}</Button>}
    </fieldset>
  );
}
