const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

// An instant in the reader's own time zone and language.
export function Time({ at }: { at: string }) {
  return <time dateTime={at}>{format.format(new Date(at))}</time>;
}
