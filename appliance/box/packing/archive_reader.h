// Reads what ArchiveWriter writes. The file may be hostile: nothing is believed before end() has compared all of it
// with its manifest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "appliance/box/packing/content_digest.h"
#include "appliance/box/packing/entry.h"
#include "appliance/foundation/descriptor.h"

struct archive;

namespace packing {

// Blocks. Throws agentbox::UsageError with one sentence for a file that is truncated, altered or of another kind, and
// for an entry that would lead out of its folder, before the caller sees it.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::filesystem::path file);

  // The next entry that is neither the manifest nor its signature; nothing at the end, which is reached only if the
  // manifest agrees with every entry before it.
  std::optional<Entry> next();
  // The content of the file that next() returned, in ascending order and without its holes. What is not read is checked
  // all the same.
  using Sink = std::function<void(std::uint64_t offset, std::string_view bytes)>;
  void read(const Sink&);
  // The same for a small file. Throws if it is larger.
  std::string read_text(std::size_t most);

  // After the end: whether the box of this key has signed the manifest.
  bool is_signed_by(const std::string& master_key) const;

  // Bytes of the file that were read.
  std::uint64_t position() const;
  std::uint64_t size() const { return size_; }

 private:
  void finish_entry();
  std::optional<Entry> read_end(Entry manifest);
  [[noreturn]] void refuse(const std::string& reason) const;

  const std::filesystem::path path_;
  std::uint64_t size_ = 0;
  const std::unique_ptr<::archive, int (*)(::archive*)> archive_;
  std::optional<Entry> current_;  // whose content was not read yet
  Sha256 manifest_digest_;
  std::string digest_, signature_;
};

}  // namespace packing
