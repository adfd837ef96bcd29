#include "appliance/box/packing/archive_reader.h"

#include <archive.h>
#include <archive_entry.h>

#include <new>

#include "appliance/box/packing/manifest.h"
#include "appliance/foundation/settings/settings.h"

namespace packing {

namespace {

namespace fs = std::filesystem;
using agentbox::UsageError;

constexpr std::size_t block_bytes = 1u << 20, longest_path = 1u << 18, signature_bytes = 128;

std::uint64_t size_of(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) throw UsageError("there is no file " + path.string());
  const auto size = fs::file_size(path, failed);
  if (failed) throw UsageError("cannot read " + path.string() + ": " + failed.message());
  return size;
}

// For messages: the sender of a hostile file chose it.
std::string shown(std::string_view path) {
  std::string text(path.substr(0, 200));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

}  // namespace

ArchiveReader::ArchiveReader(fs::path file)
    : path_(std::move(file)), size_(size_of(path_)), archive_(archive_read_new(), &archive_read_free) {
  auto* const from = archive_.get();
  if (from == nullptr) throw std::bad_alloc();
  archive_read_support_format_tar(from);
  archive_read_support_filter_zstd(from);
  archive_read_set_format_option(from, "tar", "hdrcharset", "BINARY");  // names are bytes
  if (archive_read_open_filename(from, path_.c_str(), block_bytes) != ARCHIVE_OK)
    throw UsageError(path_.string() + " is not a pack of agentbox, or its beginning is damaged");
  manifest_digest_.add(manifest_begin);
}

void ArchiveReader::refuse(const std::string& reason) const {
  throw UsageError(path_.string() + " is not sound and was not used: " + reason);
}

std::uint64_t ArchiveReader::position() const {
  return static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_filter_bytes(archive_.get(), -1)));
}

std::optional<Entry> ArchiveReader::next() {
  finish_entry();
  archive_entry* header = nullptr;
  const int status = archive_read_next_header(archive_.get(), &header);
  if (status == ARCHIVE_EOF) refuse("it ends before its manifest, so that something is missing");
  if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
    refuse("it is truncated or damaged after byte " + std::to_string(position()));
  const char* const path = archive_entry_pathname(header);
  if (path == nullptr) refuse("an entry has no name");
  Entry entry{.path = path, .target = {}};
  while (entry.path.ends_with('/')) entry.path.pop_back();
  if (!is_plain_path(entry.path) || entry.path.size() > longest_path)
    refuse("the entry \"" + shown(entry.path) + "\" would lead out of its folder");
  entry.mode = archive_entry_perm(header) & 0777;
  entry.modified = archive_entry_mtime(header);
  const auto type = archive_entry_filetype(header);
  if (archive_entry_hardlink(header) != nullptr || (type != AE_IFREG && type != AE_IFDIR && type != AE_IFLNK))
    refuse("the entry \"" + shown(entry.path) + "\" is neither a file, a folder nor a symbolic link");
  if (type == AE_IFDIR) {
    entry.type = EntryType::folder;
  } else if (type == AE_IFLNK) {
    entry.type = EntryType::link;
    if (const char* target = archive_entry_symlink(header)) entry.target = target;
    const auto depth = parts_of(entry.path).size() - parts_of(root_of(entry.path)).size() - 1;
    if (root_of(entry.path) == entry.path || !stays_within(entry.target, depth))
      refuse("the link \"" + shown(entry.path) + "\" leads out of its folder");
  } else {
    entry.size = static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_entry_size(header)));
  }
  if (entry.path == manifest_name) return read_end(std::move(entry));
  if (entry.type == EntryType::file)
    current_ = entry;
  else
    manifest_digest_.add(manifest_line(entry, {}));
  return entry;
}

void ArchiveReader::read(const Sink& sink) {
  if (!current_) return;
  const auto entry = std::move(*current_);
  current_.reset();
  ContentDigest digest;
  for (;;) {
    const void* bytes = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(archive_.get(), &bytes, &size, &offset);
    if (status == ARCHIVE_EOF) break;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
      refuse("it is truncated or damaged within \"" + shown(entry.path) + "\"");
    const auto at = static_cast<std::uint64_t>(offset);
    if (at > entry.size || size > entry.size - at) refuse("\"" + shown(entry.path) + "\" is longer than it says");
    const std::string_view piece(static_cast<const char*>(bytes), size);
    digest.add(at, piece);
    if (sink) sink(at, piece);
  }
  manifest_digest_.add(manifest_line(entry, digest.finish(entry.size)));
}

void ArchiveReader::finish_entry() { read({}); }

std::string ArchiveReader::read_text(std::size_t most) {
  if (!current_ || current_->size > most) refuse("an entry that describes it is missing or too long");
  std::string text(static_cast<std::size_t>(current_->size), '\0');
  read([&](std::uint64_t offset, std::string_view bytes) { bytes.copy(text.data() + offset, bytes.size()); });
  return text;
}

// The manifest, its signature if there is one, and then the end of the file.
std::optional<Entry> ArchiveReader::read_end(Entry manifest) {
  digest_ = manifest_digest_.finish();
  manifest_digest_ = Sha256();
  Sha256 stored;
  current_ = std::move(manifest);
  read([&](std::uint64_t, std::string_view bytes) { stored.add(bytes); });
  if (stored.finish() != digest_) refuse("its content does not agree with its manifest: it was altered");
  archive_entry* header = nullptr;
  int status = archive_read_next_header(archive_.get(), &header);
  if (status == ARCHIVE_OK && archive_entry_pathname(header) == signature_name) {
    signature_.resize(signature_bytes);
    if (archive_read_data(archive_.get(), signature_.data(), signature_.size()) !=
        static_cast<la_ssize_t>(signature_.size()))
      refuse("its signature is not whole");
    status = archive_read_next_header(archive_.get(), &header);
  }
  if (status != ARCHIVE_EOF) refuse("something follows its manifest");
  return std::nullopt;
}

bool ArchiveReader::is_signed_by(const std::string& master_key) const {
  return is_signed_manifest(digest_, signature_, master_key);
}

}  // namespace packing
