#include "appliance/network/skills/archive.h"

#include <minizip/unzip.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "web/utf8.h"

namespace skills {

namespace {

constexpr std::size_t max_entries = 4 * max_files;  // with folders and what macOS adds
constexpr std::size_t max_name_bytes = 1'024;
constexpr std::uint16_t encrypted_flag = 1;

web::Error damaged() { return web::invalid("The archive is damaged or not a zip archive"); }

// The archive as minizip reads it: a position in memory.
struct Memory {
  std::string_view bytes;
  std::size_t at = 0;
};

Memory& memory(void* stream) { return *static_cast<Memory*>(stream); }

void* open_memory(void* opaque, const void*, int) { return opaque; }
uLong read_memory(void*, void* stream, void* to, uLong size) {
  auto& from = memory(stream);
  const auto part = from.bytes.substr(from.at, size);
  std::memcpy(to, part.data(), part.size());
  from.at += part.size();
  return uLong(part.size());
}
uLong write_memory(void*, void*, const void*, uLong) { return 0; }
ZPOS64_T tell_memory(void*, void* stream) { return memory(stream).at; }
long seek_memory(void*, void* stream, ZPOS64_T offset, int origin) {
  auto& in = memory(stream);
  const auto base = origin == ZLIB_FILEFUNC_SEEK_SET ? 0 : origin == ZLIB_FILEFUNC_SEEK_CUR ? in.at : in.bytes.size();
  if (offset > in.bytes.size() - base) return -1;
  in.at = base + std::size_t(offset);
  return 0;
}
int close_memory(void*, void*) { return 0; }
int has_error(void*, void*) { return 0; }

class Archive {
 public:
  explicit Archive(std::string_view bytes) : memory_{.bytes = bytes} {
    zlib_filefunc64_def functions{.zopen64_file = open_memory,
                                  .zread_file = read_memory,
                                  .zwrite_file = write_memory,
                                  .ztell64_file = tell_memory,
                                  .zseek64_file = seek_memory,
                                  .zclose_file = close_memory,
                                  .zerror_file = has_error,
                                  .opaque = &memory_};
    file_ = unzOpen2_64("", &functions);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive() {
    if (file_) unzClose(file_);
  }

  web::Result<std::vector<PackageFile>> files() {
    unz_global_info64 all{};
    if (!file_ || unzGetGlobalInfo64(file_, &all) != UNZ_OK) return damaged();
    if (all.number_entry > max_entries) return web::invalid("The archive has too many entries");
    std::vector<PackageFile> files;
    std::size_t left = max_package_bytes;
    for (ZPOS64_T i = 0; i < all.number_entry; ++i) {
      if ((i == 0 ? unzGoToFirstFile(file_) : unzGoToNextFile(file_)) != UNZ_OK) return damaged();
      auto entry = this->entry(left);
      if (!entry) return entry.error();
      if (!*entry) continue;
      left -= (*entry)->content.size();
      files.push_back(std::move(**entry));
      if (files.size() > max_files) return web::invalid("A skill has at most " + std::to_string(max_files) + " files");
    }
    return files;
  }

 private:
  // Nothing for folders and what macOS adds.
  web::Result<std::optional<PackageFile>> entry(std::size_t left) {
    unz_file_info64 info{};
    std::string name(max_name_bytes, '\0');
    if (unzGetCurrentFileInfo64(file_, &info, name.data(), uLong(name.size()), nullptr, 0, nullptr, 0) != UNZ_OK ||
        info.size_filename >= max_name_bytes)
      return damaged();
    name.resize(info.size_filename);
    if (name.empty() || !web::is_utf8(name) || name.find('\0') != name.npos)
      return web::invalid("The archive has an entry whose name is not UTF-8");
    if (name.ends_with('/') || is_of_macos(name)) return std::optional<PackageFile>();
    if (info.flag & encrypted_flag) return web::invalid(name + ": is encrypted");
    const auto mode = info.external_fa >> 16;  // where the archive was made on Unix
    if ((mode & S_IFMT) != 0 && !S_ISREG(mode)) return web::invalid(name + ": is not a plain file");
    auto content = this->content(name, std::min(left, max_file_bytes));
    if (!content) return content.error();
    return std::optional(PackageFile{.path = std::move(name), .content = std::move(*content)});
  }

  web::Result<std::string> content(const std::string& name, std::size_t most) {
    if (unzOpenCurrentFile(file_) != UNZ_OK) return damaged();
    std::string content;
    std::array<char, 16 * 1024> part{};
    int read = 0;
    while ((read = unzReadCurrentFile(file_, part.data(), unsigned(part.size()))) > 0) {
      content.append(part.data(), std::size_t(read));
      if (content.size() <= most) continue;
      unzCloseCurrentFile(file_);
      return web::invalid(name + ": is too large: a file has at most 512 KB, and a skill 2 MB");
    }
    // The sum of the content is compared when the entry is closed.
    const bool is_whole = unzCloseCurrentFile(file_) == UNZ_OK && read == 0;
    if (!is_whole) return damaged();
    return content;
  }

  static bool is_of_macos(std::string_view name) {
    return name.starts_with("__MACOSX/") || name == ".DS_Store" || name.ends_with("/.DS_Store");
  }

  Memory memory_;
  unzFile file_ = nullptr;
};

// Files in one folder at the root are taken out of it, unless the root itself has the SKILL.md.
void strip_folder(std::vector<PackageFile>& files) {
  if (files.empty()) return;
  const auto end = files.front().path.find('/');
  if (end == std::string::npos) return;
  const auto folder = files.front().path.substr(0, end + 1);
  if (!std::ranges::all_of(files, [&](const auto& file) { return file.path.starts_with(folder); })) return;
  for (auto& file : files) file.path.erase(0, folder.size());
}

// Whether the archive ends with its whole end record (APPNOTE.TXT, 4.3.16), which minizip does not check.
bool has_whole_end(std::string_view archive) {
  constexpr std::string_view signature("PK\x05\x06", 4);
  constexpr std::size_t record_bytes = 22, comment_length_at = 20;
  const auto at = archive.rfind(signature);
  if (at == archive.npos || archive.size() - at < record_bytes) return false;
  const auto byte = [&](std::size_t offset) { return static_cast<unsigned char>(archive[at + offset]); };
  const std::size_t comment = byte(comment_length_at) | std::size_t(byte(comment_length_at + 1)) << 8;
  return archive.size() - at == record_bytes + comment;
}

}  // namespace

web::Result<std::vector<PackageFile>> unpack(std::string_view archive) {
  if (archive.size() > max_archive_bytes) return web::invalid("The archive must be at most 2 MB");
  if (!has_whole_end(archive)) return damaged();
  auto files = Archive(archive).files();
  if (files) strip_folder(*files);
  return files;
}

}  // namespace skills
