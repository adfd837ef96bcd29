import { useSignal } from "@preact/signals";
import { call } from "../api/client";
import type { NewVideo } from "../api/types";
import { language, languageName, languages, named, t } from "../app/i18n";
import { Dialog } from "../components/dialog";
import { Checkbox, Field, Select, TextArea } from "../components/field";
import { Form, textOf } from "../components/form";

type Type = NewVideo["type"];
interface Part {
  name: "agentName" | "agentDescription" | "productName" | "topic" | "description" | "imageUrl" | "features" | "steps";
  kind: "line" | "text" | "address";
}

// What each type is made from.
const parts: Record<Type, Part[]> = {
  demo: [
    { name: "agentName", kind: "line" },
    { name: "agentDescription", kind: "text" },
  ],
  marketing: [
    { name: "productName", kind: "line" },
    { name: "features", kind: "text" },
  ],
  screenshot: [
    { name: "imageUrl", kind: "address" },
    { name: "description", kind: "text" },
  ],
  tutorial: [
    { name: "topic", kind: "line" },
    { name: "steps", kind: "text" },
  ],
};

export function NewVideoDialog({ onClose, onStarted }: { onClose: () => void; onStarted: () => Promise<void> }) {
  const type = useSignal<Type>("demo");
  const narrated = useSignal(true);
  const start = async (values: FormData) => {
    const texts = Object.fromEntries(parts[type.value].map(({ name }) => [name, textOf(values, name).trim()]));
    const seconds = textOf(values, "duration").trim();
    await call("POST /api/generate-video", {
      body: {
        type: type.value,
        ...texts,
        ...(seconds && { duration: Number(seconds) }),
        narration: narrated.value,
        ...(narrated.value && { language: textOf(values, "language") }),
        async: true,
      },
    });
    onClose();
    await onStarted();
  };
  return (
    <Dialog title={t("video.new")} onClose={onClose}>
      <Form submit={t("video.make")} onCancel={onClose} onSubmit={start}>
        <Select
          label={t("video.kind")}
          name="type"
          autoFocus
          value={type.value}
          onChange={({ currentTarget }) => (type.value = currentTarget.value as Type)}
          hint={t(`video.hint.${type.value}`)}
        >
          {Object.keys(parts).map((value) => (
            <option key={value} value={value}>
              {named("video.type", value)}
            </option>
          ))}
        </Select>
        {parts[type.value].map(({ name, kind }) =>
          kind === "text" ? (
            <TextArea key={name} label={t(`video.${name}`)} name={name} required rows={4} maxLength={5_000} dir="auto" />
          ) : (
            <Field
              key={name}
              label={t(`video.${name}`)}
              name={name}
              type={kind === "address" ? "url" : "text"}
              required
              maxLength={kind === "address" ? 2_000 : 200}
              autocomplete="off"
              dir="auto"
            />
          ),
        )}
        <Field label={t("video.duration")} name="duration" type="number" min={10} max={60} step={1} hint={t("video.duration_hint")} />
        <Checkbox
          label={t("video.narration")}
          checked={narrated.value}
          onChange={({ currentTarget }) => (narrated.value = currentTarget.checked)}
        />
        {narrated.value && (
          <Select label={t("appearance.language")} name="language" defaultValue={language.value}>
            {languages.map((tag) => (
              <option key={tag} value={tag}>
                {languageName(tag)}
              </option>
            ))}
          </Select>
        )}
      </Form>
    </Dialog>
  );
}
