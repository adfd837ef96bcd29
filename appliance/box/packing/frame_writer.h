// Compresses a file with Zstandard in frames, so that an interrupted call loses only the last of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/files/descriptor.h"

namespace packing {

inline constexpr std::size_t frame_bytes = 16u << 20;  // of content

// Each frame holds frame_bytes of the content, the last one what is left, and can be decompressed by itself.
//
// With a journal, which lists the frames that are on disk with the SHA-256 of their content and of themselves, the file
// is continued: the caller writes the same content from its beginning, and what the file has already, undamaged, is
// neither compressed nor written again. At the first frame that differs the file is cut and written anew.
//
// Blocks, and compresses on threads of its own. Throws agentbox::UsageError with the reason if a file cannot be
// written.
class FrameWriter {
 public:
  // Without a journal the file must not exist. Both files are this user's, with mode 0600.
  FrameWriter(std::filesystem::path file, const std::optional<std::filesystem::path>& journal);
  ~FrameWriter();

  void write(std::string_view content);
  void finish();  // the file is then on disk

  // Bytes of content that were found in the file and kept.
  std::uint64_t kept() const { return kept_; }

 private:
  struct Frame {
    std::string digest;  // of the content, in hex; empty without a journal
    std::uint64_t content = 0, size = 0;
    std::string stored;  // digest of the compressed bytes
  };
  struct Compressed {
    Frame frame;
    std::string bytes;
  };

  std::vector<Frame> read_journal() const;
  void end_frame();
  bool is_known(const Frame&) const;
  void cut();
  void write_oldest();
  void write_journal();
  [[noreturn]] void fail() const;

  const std::filesystem::path path_;
  files::Descriptor file_, journal_;
  std::vector<Frame> known_;       // by the journal and not reached yet, the next one last
  std::uint64_t end_ = 0;          // of the frames that are written or kept
  std::uint64_t journal_end_ = 0;  // of their lines
  std::uint64_t kept_ = 0;
  std::string content_;                           // of the current frame
  std::deque<std::future<Compressed>> underway_;  // the oldest first
  std::string lines_;                             // of frames that may not be on disk yet
  std::size_t unsynced_ = 0;                      // frames
  bool is_cut_ = false;
};

}  // namespace packing
