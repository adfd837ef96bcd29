// Between the page and the frame that draws diagrams.
export interface Wanted {
  id: string;
  source: string;
  dark: boolean;
}

// "ready" is the id of the frame's first message.
export interface Drawn {
  id: string;
  svg?: string;
  width?: number;
  height?: number;
  kind?: string; // flowchart-v2, sequence, …
  error?: string;
}
