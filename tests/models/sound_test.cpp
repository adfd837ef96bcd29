// How long files of sound last.
#include "appliance/models/media_api/sound.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace sound_test {

using models::media_api::seconds_of_sound;

std::string little(std::uint64_t number, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(number >> 8 * i);
  return text;
}

std::string big(std::uint64_t number, std::size_t bytes) {
  const auto text = little(number, bytes);
  return {text.rbegin(), text.rend()};
}

TEST(Sound, LastsAsItsFileSays) {
  const auto wav = "RIFF" + little(36, 4) + "WAVEfmt " + little(16, 4) + little(1, 2) + little(1, 2) +
                   little(8'000, 4) + little(16'000, 4) + little(2, 2) + little(16, 2) + "data" + little(160'000, 4) +
                   std::string(160'000, '\0');
  EXPECT_EQ(seconds_of_sound(wav), 10);
  EXPECT_EQ(seconds_of_sound(wav + "LIST" + little(4, 4) + "more"), 10);

  // 44,100 Hz; 30.5 seconds.
  const auto flac = "fLaC" + std::string(14, '\0') + big(44'100 << 4, 3) + big(1'345'050, 5) + std::string(90'000, 'x');
  EXPECT_EQ(seconds_of_sound(flac), 31);

  const auto opus = "OggS" + std::string(24, '\0') + "OpusHead" + std::string(9'000, 'x') + "OggS" +
                    std::string(2, '\0') + little(48'000 * 7, 8) + std::string(13, '\0');
  EXPECT_EQ(seconds_of_sound(opus), 7);
  const auto vorbis = "OggS" + std::string(24, '\0') + "\x01vorbis" + little(0, 4) + "\x02" + little(22'050, 4) +
                      std::string(9'000, 'x') + "OggS" + std::string(2, '\0') + little(22'050 * 4, 8) +
                      std::string(13, '\0');
  EXPECT_EQ(seconds_of_sound(vorbis), 4);

  const auto mp4 = big(24, 4) + "ftypM4A " + std::string(12, '\0') + big(108, 4) + "mvhd" + big(0, 4) + big(0, 8) +
                   big(1'000, 4) + big(90'400, 4) + std::string(80'000, 'x');
  EXPECT_EQ(seconds_of_sound(mp4), 91);

  // Frames of 1,152 samples at 44,100 Hz and 128 kbit/s have 417 bytes; a tag stands before them.
  std::string mp3 = "ID3" + std::string(3, '\0') + std::string(3, '\0') + "\x64" + std::string(100, '\0');
  for (int i = 0; i < 383; ++i) mp3 += "\xFF\xFB\x90" + std::string(414, '\0');
  EXPECT_EQ(seconds_of_sound(mp3), 11);
}

TEST(Sound, OfOtherFilesIsTheMostThatTheyCanLast) {
  EXPECT_EQ(seconds_of_sound(""), 1);
  EXPECT_EQ(seconds_of_sound(std::string(50'000, 'x')), 101);
  EXPECT_EQ(seconds_of_sound("RIFF" + little(1, 4) + "WAVE" + std::string(5'000, '\xFF')), 11) << "broken";
  EXPECT_EQ(seconds_of_sound("fLaC" + std::string(5'000, '\0')), 11) << "it does not say";
  const auto part = "\xFF\xFB\x90" + std::string(414, '\0') + std::string(50'000, 'x');
  EXPECT_EQ(seconds_of_sound(part), 101) << "one frame is not all of it";
}

}  // namespace sound_test
