import { useSignal } from "@preact/signals";
import * as account from "../account";
import { call } from "../api/client";
import type { Agent, Template } from "../api/types";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { Checkbox, Field, TextArea } from "../components/field";
import { Form, textOf } from "../components/form";
import { Loaded, useLoad } from "../components/loaded";
import { entries } from "../workspace";

// Groups for which the user may publish: those the user is in, for administrators all.
export async function knownGroups(): Promise<{ id: string; name: string }[]> {
  return (await (account.user.value?.isAdmin ? call("GET /api/admin/groups") : call("GET /api/groups"))).groups;
}

type Question = Template["questions"][number];

// A row of the form keeps what was typed in it when another one goes.
interface QuestionRow extends Question {
  key: number;
}

let rows = 0;
const rowOf = (question: Question): QuestionRow => ({ ...question, key: ++rows });

interface Props {
  agent?: Agent; // of which a new one is published
  template?: Template; // that is changed
  onClose: () => void;
  onSaved: () => Promise<void> | void;
}

const example = "{{name}}"; // of what an answer replaces

// Usually part of a template: what the agent reads at its start, and its skills.
const usual = ["AGENT.md", "skills"];

// What a new template begins with: the questions that the instructions hold as {{name}}, and what can be taken along.
async function begin(agent: Agent | undefined) {
  const groups = await knownGroups();
  if (!agent) return { groups, questions: [], paths: [] };
  const [{ config }, found] = await Promise.all([call("GET /api/agents/{id}/config", { path: { id: agent.id } }), entries(agent, "")]);
  const instructions = typeof config.systemPrompt === "string" ? config.systemPrompt : "";
  const names = new Set([...instructions.matchAll(/\{\{([^{}\s]{1,40})\}\}/g)].map(([, name]) => name!));
  const questions: Question[] = [...names].map((name) => ({ name, label: name, required: true }));
  return { groups, questions, paths: found.map(({ path }) => path).filter((path) => !path.startsWith(".")) };
}

export function TemplateDialog({ agent, template, onClose, onSaved }: Props) {
  const known = useLoad(() => begin(agent));
  return (
    <Dialog title={template ? t("templates.edit_this", { name: template.name }) : t("templates.publish")} onClose={onClose}>
      <Loaded of={known}>{(found) => <Fields {...found} agent={agent} template={template} onClose={onClose} onSaved={onSaved} />}</Loaded>
    </Dialog>
  );
}

interface FieldsProps {
  agent: Agent | undefined;
  template: Template | undefined;
  groups: { id: string; name: string }[];
  questions: Question[];
  paths: string[];
  onClose: () => void;
  onSaved: () => Promise<void> | void;
}

function Fields({ agent, template, groups, questions: begun, paths, onClose, onSaved }: FieldsProps) {
  const questions = useSignal<QuestionRow[]>((template?.questions ?? begun).map(rowOf));
  const save = async (values: FormData) => {
    const body = {
      name: textOf(values, "name").trim(),
      description: textOf(values, "description").trim(),
      groups: values.getAll("group").map(String),
      questions: questions.value.map((_, at) => ({
        name: textOf(values, `questions[${at}].name`).trim(),
        label: textOf(values, `questions[${at}].label`).trim(),
        required: values.has(`questions[${at}].required`),
      })),
    };
    if (template) await call("PATCH /api/templates/{template}", { path: { template: template.id }, body });
    else
      await call("POST /api/agents/{id}/template", {
        path: { id: agent!.id },
        body: { ...body, paths: values.getAll("path").map(String) },
      });
    await onSaved();
  };
  const isAdmin = account.user.value?.isAdmin;
  return (
    <Form submit={template ? t("action.save") : t("templates.publish_button")} onCancel={onClose} onSubmit={save}>
      <Field
        label={t("templates.name")}
        name="name"
        required
        maxLength={100}
        autoFocus
        autocomplete="off"
        dir="auto"
        defaultValue={template?.name ?? agent?.name}
      />
      <TextArea
        label={t("templates.description")}
        name="description"
        rows={2}
        maxLength={2000}
        dir="auto"
        defaultValue={template?.description}
      />
      <fieldset>
        <legend>{t("templates.groups")}</legend>
        <p class="hint">{isAdmin ? t("templates.groups_hint_admin") : t("templates.groups_hint")}</p>
        {groups.map(({ id, name }) => (
          <Checkbox key={id} label={name} name="group" value={id} defaultChecked={template?.groups.includes(id) ?? false} />
        ))}
      </fieldset>
      <fieldset>
        <legend>{t("templates.asks")}</legend>
        <p class="hint">{t("templates.asks_hint", { placeholder: example })}</p>
        {questions.value.map((question, at) => (
          <QuestionFields
            key={question.key}
            at={at}
            question={question}
            onRemove={() => (questions.value = questions.value.filter((other) => other !== question))}
          />
        ))}
        <Button onClick={() => (questions.value = [...questions.value, rowOf({ name: "", label: "", required: true })])}>
          {t("templates.ask_more")}
        </Button>
      </fieldset>
      {!template && paths.length > 0 && (
        <fieldset>
          <legend>{t("templates.paths")}</legend>
          <p class="hint">{t("templates.paths_hint")}</p>
          {paths.map((path) => (
            <Checkbox key={path} label={path} name="path" value={path} defaultChecked={usual.includes(path)} />
          ))}
        </fieldset>
      )}
    </Form>
  );
}

function QuestionFields({ at, question, onRemove }: { at: number; question: Question; onRemove: () => void }) {
  return (
    <div class="template-question" role="group" aria-label={t("templates.question", { at: at + 1 })}>
      <Field
        label={t("templates.label")}
        name={`questions[${at}].label`}
        required
        maxLength={200}
        dir="auto"
        defaultValue={question.label}
      />
      <Field
        label={t("templates.placeholder")}
        name={`questions[${at}].name`}
        required
        maxLength={40}
        pattern="[^\{\}\s]+"
        autocomplete="off"
        spellcheck={false}
        defaultValue={question.name}
      />
      <Checkbox label={t("templates.required")} name={`questions[${at}].required`} defaultChecked={question.required} />
      <Button class="small" label={t("templates.ask_less", { at: at + 1 })} onClick={onRemove}>
        {t("action.remove")}
      </Button>
    </div>
  );
}
