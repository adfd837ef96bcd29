#include "appliance/models/media_api/sound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

namespace models::media_api {

namespace {

// Fewer than any codec of speech has in a second.
constexpr std::int64_t least_bytes_in_second = 500;
constexpr double longest = 1e6;  // seconds

std::uint64_t big_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i)
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = size; i-- > 0;)
    if (at + i < bytes.size()) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

// RIFF: the data by the bytes of a second in its format.
std::optional<double> wav_seconds(std::string_view file) {
  std::uint64_t bytes_in_second = 0;
  for (std::size_t at = 12; at + 8 <= file.size();) {
    const auto name = file.substr(at, 4);
    const auto size = little_endian(file, at + 4, 4);
    if (name == "fmt ") bytes_in_second = little_endian(file, at + 16, 4);
    if (name == "data") {
      if (bytes_in_second == 0) return std::nullopt;
      // Of a recording that was streamed, the size is not known.
      const auto data = std::max<std::uint64_t>(std::min<std::uint64_t>(size, file.size() - at - 8), 1);
      return static_cast<double>(data) / static_cast<double>(bytes_in_second);
    }
    at += 8 + size + size % 2;
  }
  return std::nullopt;
}

// STREAMINFO: 20 bits of the sample rate, 8 of others, 36 of the number of samples.
std::optional<double> flac_seconds(std::string_view file) {
  if (file.size() < 26) return std::nullopt;
  const auto rate = big_endian(file, 18, 3) >> 4;
  const auto samples = big_endian(file, 21, 5) & 0xF'FFFF'FFFF;
  if (rate == 0 || samples == 0) return std::nullopt;
  return static_cast<double>(samples) / static_cast<double>(rate);
}

// The position of the last page is the number of samples: of Opus at 48 kHz, of Vorbis at the rate of its first packet.
std::optional<double> ogg_seconds(std::string_view file) {
  constexpr std::string_view page = "OggS", vorbis = "\x01vorbis";
  const auto last = file.rfind(page);
  if (last == file.npos || last + 14 > file.size()) return std::nullopt;
  const auto samples = little_endian(file, last + 6, 8);
  const auto head = file.substr(0, 256).find(vorbis);
  const auto rate = head == file.npos ? 48'000 : little_endian(file, head + 12, 4);
  if (rate == 0 || samples == 0 || samples > 1ULL << 48) return std::nullopt;
  return static_cast<double>(samples) / static_cast<double>(rate);
}

// mvhd, the head of the movie: its duration in units of its time scale.
std::optional<double> mp4_seconds(std::string_view file) {
  const auto at = file.find("mvhd");
  if (at == file.npos || at + 36 > file.size()) return std::nullopt;
  const bool is_long = file[at + 4] == 1;
  const auto scale = big_endian(file, at + (is_long ? 24 : 16), 4);
  const auto duration = big_endian(file, at + (is_long ? 28 : 20), is_long ? 8 : 4);
  if (scale == 0 || duration == 0) return std::nullopt;
  return static_cast<double>(duration) / static_cast<double>(scale);
}

struct Frame {
  std::size_t bytes = 0;
  double seconds = 0;
};

// A frame of MPEG audio, layer III; not set if there is none at this place.
std::optional<Frame> mp3_frame(std::string_view file, std::size_t at) {
  constexpr std::array<int, 16> of_version_1{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0},
      of_version_2{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0};  // kbit/s
  constexpr std::array<int, 4> rates{44'100, 48'000, 32'000, 0};
  if (at + 4 > file.size()) return std::nullopt;
  const auto head = big_endian(file, at, 4);
  const auto version = head >> 19 & 3, layer = head >> 17 & 3;  // version: 0 is 2.5, 2 is 2, 3 is 1; layer: 1 is III
  if (head >> 21 != 0x7FF || version == 1 || layer != 1) return std::nullopt;
  const bool is_version_1 = version == 3;
  const auto bits = (is_version_1 ? of_version_1 : of_version_2)[head >> 12 & 15] * 1'000;
  const auto rate = rates[head >> 10 & 3] / (is_version_1 ? 1 : version == 2 ? 2 : 4);
  if (bits == 0 || rate == 0) return std::nullopt;
  const int samples = is_version_1 ? 1'152 : 576;
  return Frame{.bytes = static_cast<std::size_t>(samples / 8 * bits / rate) + (head >> 9 & 1),
               .seconds = static_cast<double>(samples) / rate};
}

// The frames one by one, after a tag at the begin.
std::optional<double> mp3_seconds(std::string_view file) {
  std::size_t at = 0;
  if (file.starts_with("ID3") && file.size() > 10) {
    // Seven bits of each of four bytes.
    std::size_t size = 0;
    for (std::size_t i = 6; i < 10; ++i) size = size << 7 | (static_cast<unsigned char>(file[i]) & 0x7F);
    at = 10 + size;
  }
  double seconds = 0;
  while (const auto frame = mp3_frame(file, at)) {
    seconds += frame->seconds;
    at += frame->bytes;
  }
  // What follows the frames may be a short tag; with more, this is not the format, or only a part of it.
  constexpr std::size_t tag_bytes = 4'096;
  if (seconds == 0 || at + tag_bytes < file.size()) return std::nullopt;
  return seconds;
}

std::optional<double> stated_seconds(std::string_view file) {
  if (file.starts_with("RIFF") && file.substr(8, 4) == "WAVE") return wav_seconds(file);
  if (file.starts_with("fLaC")) return flac_seconds(file);
  if (file.starts_with("OggS")) return ogg_seconds(file);
  if (file.size() > 12 && file.substr(4, 4) == "ftyp") return mp4_seconds(file);
  return mp3_seconds(file);
}

}  // namespace

std::int64_t seconds_of_sound(std::string_view file) {
  const auto at_most = static_cast<std::int64_t>(file.size()) / least_bytes_in_second + 1;
  const auto stated = file.size() < 12 ? std::nullopt : stated_seconds(file);
  if (!stated || !(*stated > 0 && *stated < longest)) return at_most;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(*stated)));
}

}  // namespace models::media_api
