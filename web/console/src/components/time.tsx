import { dateTime, relative } from "../app/format";

// An instant in the reader's own time zone and language. `ago` says how long ago, with the instant as its title.
export function Time({ at, ago = false }: { at: string; ago?: boolean }) {
  return (
    <time dateTime={at} title={ago ? dateTime(at) : undefined}>
      {ago ? relative(at) : dateTime(at)}
    </time>
  );
}
