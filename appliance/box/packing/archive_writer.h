// Writes a tar archive (POSIX pax) that is compressed with Zstandard: `tar --zstd -tf FILE` lists it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "appliance/box/packing/content_digest.h"
#include "appliance/box/packing/entry.h"
#include "appliance/box/packing/frame_writer.h"
#include "appliance/foundation/descriptor.h"

struct archive;

namespace packing {

// Ends with its manifest (manifest.h). Blocks. Throws agentbox::UsageError with the reason if the file cannot be
// written or an entry cannot be read.
class ArchiveWriter {
 public:
  // Existing::continued: a call with the same entries continues what an interrupted one has left (frame_writer.h).
  explicit ArchiveWriter(std::filesystem::path file, Existing = Existing::refused);
  ~ArchiveWriter();  // without finish(): the file is not complete
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  // A folder or a link.
  void add(const Entry&);
  void add(Entry, std::string_view content);
  // The content of an open regular file, of which entry.size bytes are taken: a file that has become shorter is filled
  // up with zeros. Holes stay holes.
  void add(const Entry&, const files::Descriptor& file);

  // Writes the manifest and, with a key, its signature; the file is then on disk.
  void finish(const std::string& master_key = {});

  // Bytes that the file had from an interrupted call.
  std::uint64_t kept() const { return frames_.kept(); }

  // Called with the number of bytes that were read since the last call.
  void report_to(std::function<void(std::uint64_t)> progress) { progress_ = std::move(progress); }

 private:
  void begin(const Entry&, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& blocks = {});
  void write(const void* bytes, std::size_t size);
  void note(const Entry&, std::string_view digest);
  void require(int status) const;
  static ssize_t take(struct archive*, void* self, const void* bytes, std::size_t size);

  const std::filesystem::path path_;
  FrameWriter frames_;
  std::exception_ptr failed_;  // why frames_ could not be written
  const std::unique_ptr<::archive, int (*)(::archive*)> archive_;
  files::Descriptor manifest_;  // unnamed, until it is copied
  std::uint64_t manifest_size_ = 0;
  Sha256 manifest_digest_;
  std::string lines_;  // of the manifest, not written yet
  std::function<void(std::uint64_t)> progress_;
  bool is_finished_ = false;
};

}  // namespace packing
