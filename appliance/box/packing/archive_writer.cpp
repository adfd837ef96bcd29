#include "appliance/box/packing/archive_writer.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "appliance/box/packing/manifest.h"
#include "appliance/files/root.h"
#include "appliance/foundation/settings/settings.h"

// libarchive's own refusal of entry types that pax does not have stands in a unit that refers to the writers of all
// formats, which would link libraries for XML, LZMA and ciphers. Nothing here has such a type.
extern "C" void refuse_entry_type(archive* to, archive_entry* entry,
                                  const char* format) __asm__("__archive_write_entry_filetype_unsupported");
extern "C" void refuse_entry_type(archive* to, archive_entry* /*entry*/, const char* format) {
  archive_set_error(to, EINVAL, "%s has no such type of entry", format);
}

namespace packing {

namespace {

namespace fs = std::filesystem;
using agentbox::UsageError;

constexpr std::size_t piece_bytes = 1u << 20, manifest_piece = 64u << 10;
constexpr std::size_t hole_piece = 1u << 30;

[[noreturn]] void cannot_write(const fs::path& path, const char* reason) {
  throw UsageError("cannot write " + path.string() + ": " + reason);
}

files::Descriptor unnamed_beside(const fs::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  files::Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file) return file;
  std::string named = (folder / ".manifest-XXXXXX").string();  // the file system knows no unnamed files
  file.reset(::mkostemp(named.data(), O_CLOEXEC));
  if (!file) cannot_write(path, std::strerror(errno));
  ::unlink(named.c_str());
  return file;
}

struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

using Blocks = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // offset and end

// Where the file has data; one block for a file without holes, and where the file system does not know.
Blocks blocks_of(const files::Descriptor& file, std::uint64_t size) {
  Blocks blocks;
  for (std::uint64_t at = 0; at < size;) {
    const auto data = ::lseek(file.get(), static_cast<off_t>(at), SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;  // only a hole is left
    if (data < 0) return {{0, size}};
    const auto hole = ::lseek(file.get(), data, SEEK_HOLE);
    if (hole < 0) break;  // truncated meanwhile
    const auto end = std::min(static_cast<std::uint64_t>(hole), size);
    if (static_cast<std::uint64_t>(data) >= end) break;
    blocks.emplace_back(static_cast<std::uint64_t>(data), end);
    at = end;
  }
  return blocks;
}

unsigned file_type(EntryType type) {
  return type == EntryType::folder ? AE_IFDIR : type == EntryType::link ? AE_IFLNK : AE_IFREG;
}

}  // namespace

ArchiveWriter::ArchiveWriter(fs::path file, Existing existing)
    : path_(std::move(file)),
      frames_(path_, existing),
      archive_(archive_write_new(), &archive_write_free),
      manifest_(unnamed_beside(path_)) {
  auto* const to = archive_.get();
  if (to == nullptr) throw std::bad_alloc();
  require(archive_write_set_format_pax_restricted(to));
  require(archive_write_add_filter_none(to));
  require(archive_write_set_bytes_per_block(to, piece_bytes));
  require(archive_write_set_bytes_in_last_block(to, 1));
  require(archive_write_open(to, this, nullptr, &ArchiveWriter::take, nullptr));
  lines_ = manifest_begin;
}

ArchiveWriter::~ArchiveWriter() {
  if (!is_finished_) archive_write_fail(archive_.get());
}

// No exception passes through the library.
ssize_t ArchiveWriter::take(struct archive* /*archive*/, void* self, const void* bytes, std::size_t size) {
  auto& writer = *static_cast<ArchiveWriter*>(self);
  try {
    writer.frames_.write({static_cast<const char*>(bytes), size});
    return static_cast<ssize_t>(size);
  } catch (...) {
    writer.failed_ = std::current_exception();
    return ARCHIVE_FATAL;
  }
}

void ArchiveWriter::require(int status) const {
  if (failed_) std::rethrow_exception(failed_);
  if (status == ARCHIVE_OK || status == ARCHIVE_WARN) return;
  const char* reason = archive_error_string(archive_.get());
  cannot_write(path_, reason ? reason : "the library does not say why");
}

void ArchiveWriter::begin(const Entry& entry, const Blocks& blocks) {
  const std::unique_ptr<archive_entry, FreeEntry> header(archive_entry_new());
  archive_entry_set_pathname(header.get(), entry.path.c_str());
  archive_entry_set_filetype(header.get(), file_type(entry.type));
  archive_entry_set_perm(header.get(), entry.mode);
  archive_entry_set_mtime(header.get(), entry.modified, 0);
  archive_entry_set_size(header.get(), static_cast<la_int64_t>(entry.type == EntryType::file ? entry.size : 0));
  if (entry.type == EntryType::link) archive_entry_set_symlink(header.get(), entry.target.c_str());
  for (const auto& [offset, end] : blocks)
    archive_entry_sparse_add_entry(header.get(), static_cast<la_int64_t>(offset),
                                   static_cast<la_int64_t>(end - offset));
  require(archive_write_header(archive_.get(), header.get()));
}

void ArchiveWriter::write(const void* bytes, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const auto count = archive_write_data(archive_.get(), static_cast<const char*>(bytes) + done, size - done);
    if (count <= 0) require(count == 0 ? ARCHIVE_FATAL : static_cast<int>(count));
    done += static_cast<std::size_t>(count);
  }
}

void ArchiveWriter::note(const Entry& entry, std::string_view digest) {
  lines_ += manifest_line(entry, digest);
  if (lines_.size() < manifest_piece) return;
  manifest_digest_.add(lines_);
  if (!files::write_all(manifest_, lines_)) cannot_write(path_, std::strerror(errno));
  manifest_size_ += lines_.size();
  lines_.clear();
}

void ArchiveWriter::add(const Entry& entry) {
  begin(entry);
  note(entry, {});
}

void ArchiveWriter::add(Entry entry, std::string_view content) {
  entry.size = content.size();
  begin(entry);
  write(content.data(), content.size());
  ContentDigest digest;
  digest.add(0, content);
  note(entry, digest.finish(content.size()));
}

void ArchiveWriter::add(const Entry& entry, const files::Descriptor& file) {
  const auto blocks = blocks_of(file, entry.size);
  const bool has_holes = blocks.size() != 1 || blocks[0] != std::pair<std::uint64_t, std::uint64_t>(0, entry.size);
  // A file that is one hole has one block all the same: the format cannot say otherwise.
  const auto written = has_holes && blocks.empty() && entry.size > 0 ? Blocks{{entry.size - 1, entry.size}} : blocks;
  begin(entry, has_holes ? written : Blocks());
  std::string piece(piece_bytes, '\0');
  // libarchive takes the bytes of holes, too, but does not read them.
  const auto skip = [&](std::uint64_t count) {
    for (; count > 0; count -= std::min<std::uint64_t>(count, hole_piece))
      write(piece.data(), static_cast<std::size_t>(std::min<std::uint64_t>(count, hole_piece)));
  };
  ContentDigest digest;
  std::uint64_t at = 0;
  for (const auto& [offset, end] : written) {
    skip(offset - at);
    for (at = offset; at < end;) {
      const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(end - at, piece.size()));
      const auto got = ::pread(file.get(), piece.data(), wanted, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw UsageError("cannot read " + entry.path + ": " + std::strerror(errno));
      const auto count = got > 0 ? static_cast<std::size_t>(got) : wanted;
      if (got == 0) std::fill_n(piece.begin(), wanted, '\0');
      digest.add(at, {piece.data(), count});
      write(piece.data(), count);
      at += count;
      if (progress_) progress_(count);
    }
  }
  skip(entry.size - at);
  note(entry, digest.finish(entry.size));
}

void ArchiveWriter::finish(const std::string& master_key) {
  manifest_digest_.add(lines_);
  if (!files::write_all(manifest_, lines_)) cannot_write(path_, std::strerror(errno));
  manifest_size_ += lines_.size();
  const auto digest = manifest_digest_.finish();
  begin({.path = std::string(manifest_name), .size = manifest_size_, .target = {}});
  std::string piece(piece_bytes, '\0');
  for (std::uint64_t at = 0; at < manifest_size_;) {
    const auto count = ::pread(manifest_.get(), piece.data(), piece.size(), static_cast<off_t>(at));
    if (count <= 0) cannot_write(path_, "its manifest cannot be read");
    write(piece.data(), static_cast<std::size_t>(count));
    at += static_cast<std::uint64_t>(count);
  }
  if (!master_key.empty()) {
    const auto signature = sign_manifest(digest, master_key);
    begin({.path = std::string(signature_name), .size = signature.size(), .target = {}});
    write(signature.data(), signature.size());
  }
  require(archive_write_close(archive_.get()));
  frames_.finish();
  is_finished_ = true;
}

}  // namespace packing
