// A face for an agent or a user: two letters on a colour that its id chooses.
const tints = 8;

export const initials = (name: string) => {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.length > 1 ? [words[0]!, words.at(-1)!].map((word) => [...word][0]) : [...(words[0] ?? "")].slice(0, 2);
  return letters.join("").toLocaleUpperCase();
};

const tintOf = (id: string) => [...id].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 9_973, 7) % tints;

interface Props {
  id: string;
  name: string;
  size?: "small" | "large";
}

export function Avatar({ id, name, size }: Props) {
  return (
    <span class={`avatar tint-${tintOf(id)} ${size ?? ""}`.trim()} aria-hidden="true" dir="auto">
      {initials(name)}
    </span>
  );
}
