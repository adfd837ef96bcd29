import { t } from "../app/i18n";
import { CopyButton } from "./copy_button";

// Text to be copied as it is: commands, tokens, code.
export function CodeBlock({ text, language = "" }: { text: string; language?: string }) {
  return (
    <div class="code-block" dir="ltr">
      <div class="code-head">
        <span>{language}</span>
        <CopyButton text={text} label={t("copy.code")} />
      </div>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}
