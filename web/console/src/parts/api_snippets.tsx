import { useSignal } from "@preact/signals";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { CodeBlock } from "../components/code_block";

// The OpenAI-compatible API is where the console is.
const base = `${window.location.origin}/v1`;

const snippets: Record<string, (key: string) => string> = {
  curl: (key) => `curl ${base}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "auto", "messages": [{"role": "user", "content": "Hello"}]}'`,
  Python: (key) => `from openai import OpenAI

client = OpenAI(base_url="${base}", api_key="${key}")
answer = client.chat.completions.create(
    model="auto",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
  JavaScript: (key) => `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${base}", apiKey: "${key}" });
const answer = await client.chat.completions.create({
  model: "auto",
  messages: [{ role: "user", content: "Hello" }],
});
console.log(answer.choices[0].message.content);`,
};

// How the box's models are called with a key.
export function ApiSnippets({ apiKey }: { apiKey: string }) {
  const chosen = useSignal("curl");
  return (
    <section aria-label={t("keys.snippets")}>
      <h3>{t("keys.snippets")}</h3>
      <p class="quiet">{t("keys.snippets_about")}</p>
      <div class="actions start" role="group" aria-label={t("keys.language")}>
        {Object.keys(snippets).map((name) => (
          <Button key={name} class="small" pressed={name === chosen.value} onClick={() => (chosen.value = name)}>
            {name}
          </Button>
        ))}
      </div>
      <CodeBlock text={snippets[chosen.value]!(apiKey)} language={chosen.value} />
    </section>
  );
}
