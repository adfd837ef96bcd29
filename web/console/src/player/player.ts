// Plays the stream of this page's address, /live/<playback id>, and goes on trying while it is off the air.
import Hls from "hls.js";

const retry_ms = 3_000;
const screen = document.getElementById("screen") as HTMLVideoElement;
const state = document.getElementById("state") as HTMLElement;
const playlist = `${location.pathname.replace(/\/$/, "")}/index.m3u8`;

const say = (text: string) => {
  state.textContent = text;
};

screen.addEventListener("playing", () => say("Live"));
screen.addEventListener("waiting", () => say("Buffering…"));

// The browser refuses to start with sound unless the visitor has asked for it: the video begins muted.
const play = () => void screen.play().catch(() => say("Press play to listen."));

// Safari plays HLS by itself.
const play_natively = () => {
  screen.src = playlist;
  screen.addEventListener("error", () => {
    say("Off the air. Waiting for the stream…");
    setTimeout(() => screen.load(), retry_ms);
  });
  play();
};

const play_by_script = () => {
  // A worker would be loaded from a blob, which the content security policy does not allow.
  const hls = new Hls({ enableWorker: false, liveSyncDurationCount: 3 });
  hls.on(Hls.Events.MANIFEST_PARSED, play);
  hls.on(Hls.Events.ERROR, (_, { fatal, type }) => {
    if (!fatal) return;
    if (type === Hls.ErrorTypes.MEDIA_ERROR) return hls.recoverMediaError();
    say("Off the air. Waiting for the stream…");
    setTimeout(() => hls.loadSource(playlist), retry_ms);
  });
  hls.loadSource(playlist);
  hls.attachMedia(screen);
};

if (Hls.isSupported()) play_by_script();
else if (screen.canPlayType("application/vnd.apple.mpegurl")) play_natively();
else say("This browser cannot play live streams.");
