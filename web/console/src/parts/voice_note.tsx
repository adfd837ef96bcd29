// Records what is said and puts it into the field as text, where the box has a model that can write it down.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { patience, send, sentence } from "../api/client";
import { t } from "../app/i18n";
import { Button } from "../components/button";
import { Icon } from "../components/icon";

const longest = 10 * 60_000; // milliseconds

async function transcribe(sound: Blob): Promise<string> {
  const form = new FormData();
  form.append("file", sound, "note");
  const response = await send("POST /api/transcriptions", { body: form, timeout: 15 * patience });
  return ((await response.json()) as { text: string }).text.trim();
}

interface Props {
  onText: (text: string) => void;
  onError: (sentence: string) => void;
}

// Browsers let only pages over https or of this machine listen.
export const canListen = () => "mediaDevices" in navigator && "MediaRecorder" in window;

export function VoiceNote({ onText, onError }: Props) {
  const state = useSignal<"idle" | "listening" | "writing">("idle");
  const recorder = useRef<MediaRecorder | undefined>(undefined);
  const end = () => {
    if (recorder.current?.state === "recording") recorder.current.stop();
  };
  useEffect(() => end, []);
  const listen = async () => {
    onError("");
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const made = (recorder.current = new MediaRecorder(stream));
      const pieces: Blob[] = [];
      const timer = setTimeout(end, longest);
      made.ondataavailable = ({ data }) => void pieces.push(data);
      made.onstop = () => {
        clearTimeout(timer);
        for (const track of stream.getTracks()) track.stop();
        void write(new Blob(pieces, { type: made.mimeType }));
      };
      made.start();
      state.value = "listening";
    } catch {
      onError(t("voice.refused"));
    }
  };
  const write = async (sound: Blob) => {
    state.value = "writing";
    try {
      const text = await transcribe(sound);
      if (text) onText(text);
      else onError(t("voice.nothing"));
    } catch (cause) {
      onError(sentence(cause));
    } finally {
      state.value = "idle";
    }
  };
  const listening = state.value === "listening";
  const label = t(listening ? "voice.stop" : "voice.start");
  return (
    <>
      <Button
        kind="ghost"
        class={listening ? "icon-only listening" : "icon-only"}
        label={label}
        title={label}
        pressed={listening}
        disabled={state.value === "writing"}
        onClick={() => (listening ? end() : void listen())}
      >
        <Icon name={listening ? "stop" : "mic"} />
      </Button>
      {state.value !== "idle" && (
        <span class="quiet" role="status">
          {t(`voice.${state.value}`)}
        </span>
      )}
    </>
  );
}
