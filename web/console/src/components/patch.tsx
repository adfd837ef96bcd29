import { useMemo } from "preact/hooks";
import { t } from "../app/i18n";
import { Badge } from "./badge";

interface FilePatch {
  name: string;
  lines: string[];
  added: number;
  removed: number;
}

// The files of a patch as git writes it.
function filesOf(patch: string): FilePatch[] {
  const files: FilePatch[] = [];
  for (const line of patch.replace(/\n$/, "").split("\n")) {
    const begins = /^diff --git a\/(.*) b\/(.*)$/.exec(line);
    if (begins || files.length === 0) files.push({ name: begins?.[2] ?? "", lines: [], added: 0, removed: 0 });
    const file = files.at(-1)!;
    if (begins) continue;
    file.lines.push(line);
    if (/^\+(?!\+\+ )/.test(line)) file.added++;
    if (/^-(?!-- )/.test(line)) file.removed++;
  }
  return files;
}

// Lines of a file that are drawn; more would hold up the page.
const most = 2_000;
// Files that are unfolded at first.
const unfolded = 20;

const kind = (line: string) =>
  line.startsWith("@@")
    ? "hunk"
    : /^(\+\+\+|---|index|new file|deleted file|similarity|rename|old mode|new mode) ?/.test(line)
      ? "note"
      : line.startsWith("+")
        ? "added"
        : line.startsWith("-")
          ? "removed"
          : "";

// What changed, file by file. Signs and words say it, too, not only colours.
export function Patch({ text }: { text: string }) {
  const files = useMemo(() => filesOf(text), [text]);
  return (
    <div class="patch">
      {files.map(({ name, lines, added, removed }, index) => (
        <details key={`${name} ${index}`} open={index < unfolded}>
          <summary>
            <bdi>{name}</bdi> <Badge tone="good">+{added}</Badge> <Badge tone="bad">−{removed}</Badge>
          </summary>
          <pre tabIndex={0} dir="ltr" aria-label={t("files.changes_of", { name })}>
            {lines.slice(0, most).map((line, at) => (
              <span key={at} class={kind(line)}>
                {`${line}\n`}
              </span>
            ))}
            {lines.length > most && <span class="note">{t("files.cut", { count: lines.length - most })}</span>}
          </pre>
        </details>
      ))}
    </div>
  );
}
