// A text in which the words that were searched for are marked.
export function Found({ text, words }: { text: string; words: string }) {
  if (!words) return <>{text}</>;
  const pattern = new RegExp(`(${words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")})`, "i");
  return <>{text.split(pattern).map((part, index) => (index % 2 ? <mark key={index}>{part}</mark> : part))}</>;
}
