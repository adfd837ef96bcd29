// Whatever an interrupted call has left, the file ends as the content that was written last, and nothing that it had
// already is written again.
#include "appliance/box/packing/frame_writer.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "appliance/foundation/settings/settings.h"
#include "tests/support/temporary_folder.h"

namespace frame_writer_test {

namespace fs = std::filesystem;
using packing::Existing;
using packing::frame_bytes;
using packing::FrameWriter;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string decompressed(const std::string& bytes) {
  std::string content;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto size = ZSTD_findFrameCompressedSize(bytes.data() + at, bytes.size() - at);
    if (ZSTD_isError(size) != 0) return "not a frame at byte " + std::to_string(at);
    std::string frame(ZSTD_getFrameContentSize(bytes.data() + at, size), '\0');
    if (ZSTD_decompress(frame.data(), frame.size(), bytes.data() + at, size) != frame.size()) return "damaged";
    content += frame;
    at += size;
  }
  return content;
}

// Half of it repeats, so that it can be compressed.
std::string random_bytes(std::size_t size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::string bytes(size, 'x');
  for (std::size_t at = 0; at + 256 < size; at += 256) {
    for (std::size_t word = 0; word < 128; word += 8) {
      const std::uint64_t value = random();
      std::memcpy(bytes.data() + at + word, &value, sizeof value);
    }
  }
  return bytes;
}

class Frames : public testing::Test {
 protected:
  // Writes the first `most` bytes, and finishes if that is all.
  std::uint64_t write(std::string_view all, std::size_t most = std::string::npos) {
    FrameWriter writer(file, Existing::continued);
    std::mt19937 random(7);
    auto rest = all.substr(0, most);
    while (!rest.empty()) {
      const auto piece = rest.substr(0, 1 + random() % (3u << 20));
      writer.write(piece);
      rest.remove_prefix(piece.size());
    }
    if (most >= all.size()) writer.finish();
    return writer.kept();
  }

  const test_support::TemporaryFolder folder;
  const fs::path file = folder.path() / "pack";
  const std::string content = random_bytes(frame_bytes * 9 + 12'345, 1);
};

TEST_F(Frames, AreTheContentWhereverACallWasInterrupted) {
  std::uint64_t kept_before = 0;
  for (const std::size_t frames : {2u, 7u, 8u}) {
    const auto kept = write(content, frames * frame_bytes + 99);
    EXPECT_GE(kept, kept_before);
    kept_before = kept;
  }
  const auto kept = write(content);
  EXPECT_GE(kept, 4 * frame_bytes) << "those that no thread was compressing still";
  EXPECT_TRUE(decompressed(read(file)) == content);
  const auto whole = read(file);
  EXPECT_GE(write(content), kept);
  EXPECT_TRUE(read(file) == whole);
}

TEST_F(Frames, AreWrittenAnewFromTheFirstThatDiffers) {
  write(content);
  auto changed = content;
  changed[frame_bytes * 2 + 17] ^= 1;
  EXPECT_EQ(write(changed), 2 * frame_bytes);
  EXPECT_TRUE(decompressed(read(file)) == changed);
  changed.resize(frame_bytes + 1);
  EXPECT_EQ(write(changed), frame_bytes);
  EXPECT_TRUE(decompressed(read(file)) == changed) << "what followed is gone";
}

TEST_F(Frames, AreNotBelievedWhenTheyAreCutOffOrDamaged) {
  write(content);
  const auto whole = read(file);
  for (const std::size_t length : {whole.size() - 1, whole.size() / 2, std::size_t{1}, std::size_t{0}}) {
    fs::resize_file(file, length);
    EXPECT_LE(write(content), content.size() * (length + 1) / whole.size()) << length;
    EXPECT_TRUE(read(file) == whole) << length;
  }
  for (const std::size_t at : {std::size_t{0}, whole.size() / 3, whole.size() - 1}) {
    auto damaged = whole;
    damaged[at] ^= 1;
    std::ofstream(file, std::ios::binary) << damaged;
    EXPECT_LT(write(content), content.size()) << at;
    EXPECT_TRUE(read(file) == whole) << at;
  }
  std::ofstream(file, std::ios::binary) << "no frame at all\n";
  EXPECT_EQ(write(content), 0u);
  EXPECT_TRUE(read(file) == whole);
  std::ofstream(file, std::ios::binary | std::ios::app) << "more than there is to write\n";
  EXPECT_EQ(write(content), content.size());
  EXPECT_TRUE(read(file) == whole);
}

TEST_F(Frames, NeedANewFileIfNoneIsToBeContinued) {
  {
    FrameWriter writer(file, Existing::refused);
    writer.write("once");
    writer.finish();
  }
  EXPECT_EQ(decompressed(read(file)), "once");
  EXPECT_THROW(FrameWriter(file, Existing::refused), agentbox::UsageError);
}

}  // namespace frame_writer_test
