import { t } from "../app/i18n";
import { CopyButton } from "./copy_button";
import { Highlighted } from "./highlighted";

interface Props {
  text: string;
  language?: string; // shown above the text
  syntax?: string; // that the text is coloured by; the language unless it is given
}

// Text to be copied as it is: commands, tokens, code.
export function CodeBlock({ text, language = "", syntax = language }: Props) {
  return (
    <div class="code-block" dir="ltr">
      <div class="code-head">
        <span>{language}</span>
        <CopyButton text={text} label={t("copy.code")} icon />
      </div>
      <pre tabIndex={0}>
        <code>
          <Highlighted text={text} syntax={syntax} />
        </code>
      </pre>
    </div>
  );
}
