// What the player uses of hls.js, whose package has no types for its smaller build.
declare module "hls.js/light" {
  export interface ErrorData {
    fatal: boolean;
    type: string;
  }
  export default class Hls {
    static isSupported(): boolean;
    static readonly Events: { MANIFEST_PARSED: "hlsManifestParsed"; ERROR: "hlsError" };
    static readonly ErrorTypes: { MEDIA_ERROR: string };
    constructor(options: { enableWorker?: boolean; liveSyncDurationCount?: number });
    on(event: "hlsManifestParsed", handler: () => void): void;
    on(event: "hlsError", handler: (event: string, data: ErrorData) => void): void;
    loadSource(url: string): void;
    attachMedia(media: HTMLMediaElement): void;
    recoverMediaError(): void;
  }
}
