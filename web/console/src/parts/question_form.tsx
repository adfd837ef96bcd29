// The form that a server asks for before it goes on (elicitation of MCP): text, numbers, yes or no, and choices.
import { t } from "../app/i18n";
import { Checkbox, Field, Select } from "../components/field";
import { Form } from "../components/form";

interface Choice {
  const: string;
  title?: string;
}
interface Property {
  type?: string;
  title?: string;
  description?: string;
  format?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  enum?: string[];
  enumNames?: string[];
  oneOf?: Choice[];
  anyOf?: Choice[];
  items?: Property;
}
export interface QuestionSchema {
  properties?: Record<string, Property>;
  required?: string[];
}

const inputTypes: Record<string, string> = { email: "email", uri: "url", date: "date", "date-time": "datetime-local" };

const choicesOf = (property: Property): Choice[] | undefined =>
  property.enum?.map((value, at) => ({ const: value, title: property.enumNames?.[at] ?? value })) ?? property.oneOf ?? property.anyOf;

const fieldOf = (name: string) => `content.${name}`;

// What the schema wants of what was typed. Fields that were left empty are left out.
function contentOf(schema: QuestionSchema, values: FormData) {
  const content: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const text = String(values.get(fieldOf(name)) ?? "");
    if (property.type === "boolean") content[name] = values.has(fieldOf(name));
    else if (property.type === "array") {
      const chosen = values.getAll(fieldOf(name)).map(String);
      if (chosen.length > 0) content[name] = chosen;
    } else if (text && (property.type === "number" || property.type === "integer")) content[name] = Number(text);
    else if (text) content[name] = text;
  }
  return content;
}

interface Props {
  schema: QuestionSchema;
  onAnswer: (content: Record<string, unknown>) => Promise<unknown>;
}

export function QuestionForm({ schema, onAnswer }: Props) {
  return (
    <Form submit={t("ask.send_answer")} onSubmit={(values) => onAnswer(contentOf(schema, values))}>
      {Object.entries(schema.properties ?? {}).map(([name, property]) => (
        <Control key={name} name={name} property={property} required={schema.required?.includes(name) ?? false} />
      ))}
    </Form>
  );
}

function Control({ name, property, required }: { name: string; property: Property; required: boolean }) {
  const common = { label: property.title ?? name, name: fieldOf(name), hint: property.description };
  if (property.type === "boolean") return <Checkbox {...common} defaultChecked={property.default === true} />;
  const choices = choicesOf(property.type === "array" ? (property.items ?? {}) : property);
  if (choices && property.type === "array")
    return (
      <fieldset>
        <legend>{common.label}</legend>
        {common.hint && <p class="hint">{common.hint}</p>}
        {choices.map((choice) => (
          <Checkbox
            key={choice.const}
            label={choice.title ?? choice.const}
            name={common.name}
            value={choice.const}
            defaultChecked={Array.isArray(property.default) && property.default.includes(choice.const)}
          />
        ))}
      </fieldset>
    );
  if (choices)
    return (
      <Select {...common} required={required} defaultValue={String(property.default ?? "")}>
        {!required && <option value="" />}
        {choices.map((choice) => (
          <option key={choice.const} value={choice.const}>
            {choice.title ?? choice.const}
          </option>
        ))}
      </Select>
    );
  const isNumber = property.type === "number" || property.type === "integer";
  return (
    <Field
      {...common}
      type={isNumber ? "number" : (inputTypes[property.format ?? ""] ?? "text")}
      {...(isNumber && { min: property.minimum, max: property.maximum, step: property.type === "integer" ? 1 : "any" })}
      minLength={property.minLength}
      maxLength={property.maxLength}
      defaultValue={property.default === undefined ? undefined : String(property.default)}
      autocomplete="off"
      required={required}
    />
  );
}
