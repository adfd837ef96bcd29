import type { ComponentChildren } from "preact";

interface Props {
  title: string;
  columns: string[];
  children: ComponentChildren; // its rows
}

// A table that scrolls inside itself where the screen is too narrow for it.
export function Table({ title, columns, children }: Props) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
