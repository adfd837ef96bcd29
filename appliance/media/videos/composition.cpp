#include "appliance/media/videos/composition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "appliance/media/videos/subtitles.h"

namespace videos {

namespace {

constexpr int frames_per_second = 25;
constexpr Seconds transition{0.5};

struct Colours {
  std::string_view first, second;
};
constexpr std::array<Colours, 4> palette{
    {{"0x0d1526", "0x1d3a63"}, {"0x1a1030", "0x43307a"}, {"0x0c1f24", "0x135a5a"}, {"0x241016", "0x6b2a3a"}}};
constexpr std::array<std::string_view, 4> transitions{"fade", "smoothleft", "smoothup", "fade"};

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return text.data();
}

std::string size_text(const char* separator) {
  return std::to_string(picture_width) + separator + std::to_string(picture_height);
}

void append(std::vector<std::string>& arguments, std::initializer_list<std::string_view> more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
}

// How long the picture of a scene is there: into the transition to the next one.
Seconds shown(const std::vector<Scene>& scenes, std::size_t at) {
  return scenes[at].length + (at + 1 < scenes.size() ? transition : Seconds(0));
}

// Pans while it zooms.
std::string zoomed(const std::string& input, Seconds time, bool is_inward, const std::string& output) {
  const std::string frames = std::to_string(std::lround(time.count() * frames_per_second));
  const std::string progress = is_inward ? "on/" + frames : "(1-on/" + frames + ")";
  return input + "zoompan=z='1+0.25*" + progress + "':x='(iw-iw/zoom)*" + progress +
         "':y='(ih-ih/zoom)*0.3':d=" + frames + ":s=" + size_text("x") + ":fps=" + std::to_string(frames_per_second) +
         ",format=yuv420p,settb=AVTB" + output;
}

class Composition {
 public:
  explicit Composition(const std::vector<Scene>& scenes) : scenes_(scenes) {
    for (std::size_t at = 0; at < scenes.size(); ++at) add_picture(at);
    add_transitions();
    add_sound();
  }

  std::vector<std::string> inputs;
  std::string graph;

 private:
  std::string add_input(std::initializer_list<std::string_view> arguments) {
    append(inputs, arguments);
    return "[" + std::to_string(count_++) + "]";
  }

  void add_picture(std::size_t at) {
    const Seconds time = shown(scenes_, at);
    const std::string output = "[v" + std::to_string(at) + "];";
    if (scenes_[at].shows_picture) {
      const auto input = add_input({"-f", "image2", "-pattern_type", "none", "-i", still_file});
      graph += zoomed(input, time, at % 2 == 0, output);
      return;
    }
    const auto& colours = palette[at % palette.size()];
    std::string source = "gradients=s=" + size_text("x") + ":r=" + std::to_string(frames_per_second) +
                         ":d=" + number(time.count()) + ":speed=0.008:x0=0:y0=0:x1=1280:y1=720:nb_colors=2:c0=";
    source.append(colours.first).append(":c1=").append(colours.second);
    const auto input = add_input({"-f", "lavfi", "-i", source});
    graph += input + "format=yuv420p,settb=AVTB" + output;
  }

  void add_transitions() {
    std::string last = "[v0]";
    Seconds start{0};
    for (std::size_t at = 1; at < scenes_.size(); ++at) {
      start += scenes_[at - 1].length;
      const std::string output = "[x" + std::to_string(at) + "]";
      graph += last + "[v" + std::to_string(at) +
               "]xfade=transition=" + std::string(transitions[at % transitions.size()]) +
               ":duration=" + number(transition.count()) + ":offset=" + number(start.count()) + output + ";";
      last = output;
    }
    graph += last + "ass=" + std::string(subtitles_file) + ",fade=t=in:d=0.4,format=yuv420p[video];";
  }

  void add_sound() {
    const std::string silence = add_input({"-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo"});
    std::string mixed = silence;
    std::size_t voices = 0;
    Seconds start{0};
    for (std::size_t at = 0; at < scenes_.size(); start += scenes_[at].length, ++at) {
      if (scenes_[at].spoken.count() <= 0) continue;
      const auto input = add_input({"-f", "wav", "-i", narration_file(at)});
      const std::string output = "[a" + std::to_string(at) + "]";
      const auto delay = std::to_string(std::llround((start.count() + 0.4) * 1'000));
      const Seconds end = std::max(scenes_[at].length - Seconds(0.4), Seconds(0.3));
      graph += input + "aresample=48000,aformat=channel_layouts=stereo,atrim=end=" + number(end.count()) +
               ",adelay=" + delay + "|" + delay + output + ";";
      mixed += output;
      ++voices;
    }
    if (voices > 0)
      mixed += "amix=inputs=" + std::to_string(voices + 1) + ":duration=first:normalize=0,alimiter=limit=0.9,";
    graph += mixed + (voices > 0 ? "" : "anull,") + "atrim=end=" + number(total_length(scenes_).count()) + "[sound]";
  }

  const std::vector<Scene>& scenes_;
  std::size_t count_ = 0;
};

}  // namespace

std::string narration_file(std::size_t scene) { return "narration" + std::to_string(scene) + ".wav"; }
std::string narration_text_file(std::size_t scene) { return "narration" + std::to_string(scene) + ".txt"; }

std::vector<std::string> still_arguments(const std::string& demuxer) {
  const std::string fit =
      "scale=2560:1440:force_original_aspect_ratio=decrease,format=rgb24,pad=2560:1440:(ow-iw)/2:(oh-ih)/"
      "2:color=0x0d1526";
  std::vector<std::string> arguments;
  append(arguments, {"-nostdin", "-hide_banner", "-loglevel", "error", "-protocol_whitelist", "file", "-f", demuxer,
                     "-i", picture_file, "-frames:v", "1", "-vf", fit, "-y", still_file});
  return arguments;
}

std::vector<std::string> video_arguments(const std::vector<Scene>& scenes) {
  Composition composition(scenes);
  std::vector<std::string> arguments;
  append(arguments, {"-nostdin", "-hide_banner", "-loglevel", "error", "-nostats", "-progress", "pipe:1", "-threads",
                     "2", "-filter_complex_threads", "2"});
  arguments.insert(arguments.end(), composition.inputs.begin(), composition.inputs.end());
  append(arguments, {"-filter_complex",
                     composition.graph,
                     "-map",
                     "[video]",
                     "-map",
                     "[sound]",
                     "-c:v",
                     "libx264",
                     "-preset",
                     "veryfast",
                     "-crf",
                     "24",
                     "-pix_fmt",
                     "yuv420p",
                     "-r",
                     std::to_string(frames_per_second),
                     "-c:a",
                     "aac",
                     "-b:a",
                     "128k",
                     "-ac",
                     "2",
                     "-t",
                     number(total_length(scenes).count()),
                     "-map_metadata",
                     "-1",
                     "-movflags",
                     "+faststart",
                     "-f",
                     "mp4",
                     "-y",
                     result_file});
  return arguments;
}

}  // namespace videos
