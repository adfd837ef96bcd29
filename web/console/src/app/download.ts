// Saves a text as a file of the reader's.
export const download = (name: string, text: string, type = "text/plain") => downloadBlob(name, new Blob([text], { type }));

export function downloadBlob(name: string, content: Blob) {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replace(/[^\p{L}\p{N}._ -]/gu, "_");
  link.click();
  URL.revokeObjectURL(url);
}

// Rows as comma-separated values (RFC 4180). A value that a spreadsheet would run as a formula is marked as text.
export function csv(rows: (string | number)[][]): string {
  const cell = (value: string | number) => {
    const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
