#include "appliance/media/videos/subtitles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "appliance/media/videos/text_layout.h"

namespace videos {

namespace {

// Colours are &HBBGGRR.
constexpr std::string_view head =
    "[Script Info]\n"
    "ScriptType: v4.00+\n"
    "PlayResX: 1280\n"
    "PlayResY: 720\n"
    "WrapStyle: 2\n"
    "ScaledBorderAndShadow: yes\n"
    "\n"
    "[V4+ Styles]\n"
    "Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, "
    "Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, "
    "MarginV, Encoding\n"
    "Style: Label,Noto Sans,28,&H00F5C06A,&H00FFFFFF,&H00000000,&H80000000,1,0,0,0,100,100,1,0,1,0,1,7,0,0,0,-1\n"
    "Style: Title,Noto Sans,64,&H00FFFFFF,&H00FFFFFF,&H00000000,&H80000000,1,0,0,0,100,100,0,0,1,0,2,7,0,0,0,-1\n"
    "Style: Text,Noto Sans,44,&H00F5EFE6,&H00FFFFFF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,0,1,7,0,0,0,-1\n"
    "Style: Caption,Noto Sans,34,&H00FFFFFF,&H00FFFFFF,&H60181008,&H60181008,0,0,0,0,100,100,0,0,3,14,0,2,0,0,0,-1\n"
    "Style: Shape,Noto Sans,20,&H00F5A623,&H00FFFFFF,&H00000000,&H00000000,0,0,0,0,100,100,0,0,1,0,0,7,0,0,0,-1\n"
    "\n"
    "[Events]\n"
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n";

constexpr int margin = 112, text_width = picture_width - 2 * margin;
constexpr int bar_height = 8, bar_gap = 28;
constexpr Seconds lead_in{0.35};  // after the transition

std::string time_of(Seconds time) {
  const auto hundredths = std::llround(time.count() * 100);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld.%02lld", hundredths / 360'000, hundredths / 6'000 % 60,
                hundredths / 100 % 60, hundredths % 100);
  return text.data();
}

struct Block {
  std::string_view style;
  int size = 0;
  std::vector<std::string> lines;
  int height() const { return lines.empty() ? 0 : int(lines.size()) * size * 4 / 3; }
};

// The largest of the sizes at which the text takes no more lines than fit, else the smallest, cut off.
Block block_of(std::string_view style, std::string_view text, std::initializer_list<int> sizes, int max_height) {
  Block block{.style = style, .lines = {}};
  for (const int size : sizes) {
    block.size = size;
    block.lines = break_lines(text, std::size_t(text_width) * 20 / std::size_t(size) / 11);
    if (block.height() <= max_height) return block;
  }
  block.lines.resize(std::size_t(max_height / (block.size * 4 / 3)));
  block.lines.back() += "\u2026";
  return block;
}

class Script {
 public:
  void add(const Scene& scene, Seconds start) {
    start_ = time_of(start + lead_in);
    end_ = time_of(start + scene.length);
    if (scene.shows_picture) return add_caption(scene);
    const Block label = block_of("Label", scene.label, {28}, 60);
    const Block title = block_of("Title", scene.title, {72, 56, 44}, 300);
    const Block text = block_of("Text", scene.text, {48, 40, 34, 28}, 400);
    int y = (picture_height - bar_height - bar_gap - label.height() - title.height() - text.height()) / 2;
    const bool is_mirrored = is_right_to_left(scene.title.empty() ? scene.text : scene.title);
    add_bar(y, is_mirrored);
    y += bar_height + bar_gap;
    for (const Block* block : {&label, &title, &text}) y = add_block(*block, y);
  }

  std::string take() { return std::string(head) + events_; }

 private:
  void event(std::string_view style, const std::string& text) {
    events_.append("Dialogue: 0,").append(start_).append(",").append(end_).append(",").append(style);
    events_.append(",,0,0,0,,").append(text).append("\n");
  }

  void add_bar(int y, bool is_mirrored) {
    const int x = is_mirrored ? picture_width - margin : margin;
    event("Shape", "{\\pos(" + std::to_string(x) + "," + std::to_string(y) + ")\\an" + (is_mirrored ? "9" : "7") +
                       "\\fscx0\\t(0,500,0.6,\\fscx100)\\fad(0,200)\\p1}m 0 0 l 160 0 160 8 0 8{\\p0}");
  }

  // Returns where the next block begins.
  int add_block(const Block& block, int y) {
    const int line_height = block.size * 4 / 3;
    for (const auto& line : block.lines) {
      const bool is_mirrored = is_right_to_left(line);
      const int x = is_mirrored ? picture_width - margin : margin;
      event(block.style, "{\\an" + std::string(is_mirrored ? "9" : "7") + "\\move(" + std::to_string(x) + "," +
                             std::to_string(y + 14) + "," + std::to_string(x) + "," + std::to_string(y) +
                             ",0,350)\\fad(350,200)\\fs" + std::to_string(block.size) + "}" + escaped(line));
      y += line_height;
    }
    return y;
  }

  void add_caption(const Scene& scene) {
    const Block text = block_of("Caption", scene.text, {34, 28, 24}, 200);
    std::string lines;
    for (const auto& line : text.lines) lines.append(lines.empty() ? "" : "\\N").append(escaped(line));
    event("Caption", "{\\pos(" + std::to_string(picture_width / 2) + "," + std::to_string(picture_height - 44) +
                         ")\\fad(350,200)\\fs" + std::to_string(text.size) + "}" + lines);
  }

  std::string start_, end_, events_;
};

}  // namespace

// A backslash begins a command and '{' begins tags. A word joiner, which is invisible, parts a backslash from what
// follows it; libass itself knows escaped braces.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\') {
      safe += "\\\u2060";
    } else if (c == '{' || c == '}') {
      safe += '\\';
      safe += c;
    } else {
      safe += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    }
  }
  return safe;
}

std::string subtitles_of(const std::vector<Scene>& scenes) {
  Script script;
  Seconds start{0};
  for (const auto& scene : scenes) {
    script.add(scene, start);
    start += scene.length;
  }
  return script.take();
}

}  // namespace videos
