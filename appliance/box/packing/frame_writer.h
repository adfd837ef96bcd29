// Compresses a file with Zstandard in frames, so that an interrupted call loses only the last of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <future>
#include <string>
#include <string_view>

#include "appliance/foundation/descriptor.h"

namespace packing {

inline constexpr std::size_t frame_bytes = 16u << 20;  // of content

// What becomes of a file that exists already.
enum class Existing { refused, continued };

// Each frame holds frame_bytes of the content, the last one what is left, and can be decompressed by itself.
//
// An existing file is continued as the caller writes the same content from its beginning: frames that hold what is
// written are read, decompressed and compared, and neither compressed nor written again. At the first that differs the
// file is cut and written again.
//
// Blocks, and compresses on threads of its own. Throws agentbox::UsageError with the reason if the file cannot be
// written.
class FrameWriter {
 public:
  // The file is this user's, with mode 0600.
  FrameWriter(std::filesystem::path file, Existing);
  ~FrameWriter();

  void write(std::string_view content);
  void finish();  // the file is then on disk

  // Bytes of content that were found in the file and kept.
  std::uint64_t kept() const { return kept_; }

 private:
  void end_frame();
  std::size_t size_of_kept(std::string_view content) const;
  void cut();
  void write_oldest();
  [[noreturn]] void fail() const;

  const std::filesystem::path path_;
  files::Descriptor file_;
  std::uint64_t kept_ = 0, kept_end_ = 0;          // of the content, and in the file
  std::string content_;                            // of the current frame
  std::deque<std::future<std::string>> underway_;  // compressed frames, the oldest first
  bool is_cut_ = false;
};

}  // namespace packing
