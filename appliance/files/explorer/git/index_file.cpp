#include "appliance/files/explorer/git/index_file.h"

#include <fcntl.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "appliance/foundation/descriptor.h"

namespace git {

namespace {

constexpr std::size_t id_bytes = 20, header_bytes = 12, fixed_bytes = 62, max_index_bytes = 64u << 20,
                      longest_path = 4096;

// The format (gitformat-index): "DIRC", version, count; entries; extensions; SHA-1 of all before. Numbers are
// big-endian.
std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

ObjectId id_at(std::string_view bytes, std::size_t at) {
  ObjectId id;
  std::memcpy(id.data(), bytes.data() + at, id.size());
  return id;
}

// The index is untrusted input.
bool is_plain_path(std::string_view path) {
  if (path.size() > longest_path) return false;
  for (std::size_t at = 0; at <= path.size();) {
    const auto name = path.substr(at, path.find('/', at) - at);
    if (name.empty() || name == "." || name == ".." || name == ".git") return false;
    at += name.size() + 1;
  }
  return true;
}

bool is_whole(std::string_view bytes) {
  ObjectId sum;
  unsigned size = 0;
  const auto body = bytes.substr(0, bytes.size() - id_bytes);
  return EVP_Digest(body.data(), body.size(), sum.data(), &size, EVP_sha1(), nullptr) == 1 &&
         std::memcmp(sum.data(), bytes.data() + body.size(), id_bytes) == 0;
}

std::optional<std::string> content_of(const files::Descriptor& file, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const auto got = ::read(file.get(), bytes.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace

class IndexFile::Reader {
 public:
  explicit Reader(IndexFile& index) : index_(index), bytes_(index.bytes_) {}

  bool read() {
    if (bytes_.size() < header_bytes + id_bytes || !bytes_.starts_with("DIRC") || number_at(bytes_, 4) != 2 ||
        !is_whole(bytes_)) {
      return false;
    }
    bytes_.remove_suffix(id_bytes);
    index_.file_count_ = number_at(bytes_, 8);
    folder_ = &index_.folders_[""];
    for (std::size_t i = 0; i < index_.file_count_; ++i)
      if (!read_entry()) return false;
    return read_extensions();
  }

 private:
  bool read_entry() {
    constexpr std::uint32_t unusual = 0xf000;  // assume-valid, extended, or one side of a conflict
    if (bytes_.size() - at_ < fixed_bytes) return false;
    const auto entry = bytes_.substr(at_);
    const auto flags = number_at(entry, 58) & 0xffff;
    const auto end = entry.find('\0', fixed_bytes);
    if (end == std::string_view::npos || (flags & unusual) != 0) return false;
    const auto path = entry.substr(fixed_bytes, end - fixed_bytes);
    if (!is_plain_path(path) || (at_ > header_bytes && path <= last_)) return false;
    last_ = path;
    at_ += (end + 8) / 8 * 8;
    if (at_ > bytes_.size()) return false;
    const auto slash = path.rfind('/');
    enter(slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1));
    folder_->files.push_back({.name = slash == std::string_view::npos ? path : path.substr(slash + 1),
                              .changed_seconds = number_at(entry, 0),
                              .changed_nanoseconds = number_at(entry, 4),
                              .modified_seconds = number_at(entry, 8),
                              .modified_nanoseconds = number_at(entry, 12),
                              .inode = number_at(entry, 20),
                              .mode = number_at(entry, 24),
                              .user = number_at(entry, 28),
                              .group = number_at(entry, 32),
                              .size = number_at(entry, 36),
                              .id = id_at(entry, 40)});
    return true;
  }

  // Makes the folder the current one, and adds it to its parents. Entries are sorted, so it is mostly the same as
  // before.
  void enter(std::string_view path) {
    if (folder_->path == path) return;
    const auto [found, is_new] = index_.folders_.try_emplace(path);
    folder_ = &found->second;
    if (!is_new) return;
    folder_->path = path;
    for (auto below = path; !below.empty();) {
      const auto slash = below.rfind('/', below.size() - 2);
      const auto above = slash == std::string_view::npos ? std::string_view() : below.substr(0, slash + 1);
      const auto [holder, is_new_holder] = index_.folders_.try_emplace(above);
      holder->second.path = above;
      holder->second.folders.push_back(below.substr(above.size(), below.size() - above.size() - 1));
      if (!is_new_holder) return;
      below = above;
    }
  }

  // Each: a name of four letters, a length, its bytes. One whose name begins with a small letter is mandatory.
  bool read_extensions() {
    while (at_ < bytes_.size()) {
      if (bytes_.size() - at_ < 8) return false;
      const auto name = bytes_.substr(at_, 4);
      const std::size_t size = number_at(bytes_, at_ + 4);
      at_ += 8;
      if (size > bytes_.size() - at_ || name[0] < 'A' || name[0] > 'Z') return false;
      if (name == "TREE") {
        auto trees = bytes_.substr(at_, size);
        if (!read_trees(trees, "", 0)) return false;
      }
      at_ += size;
    }
    return true;
  }

  // One folder: name, NUL, count of entries (-1: invalid), space, count of folders, line feed, its tree unless it is
  // invalid; then its folders.
  bool read_trees(std::string_view& trees, const std::string& above, int depth) {
    constexpr int deepest = 200;
    const auto name_end = trees.find('\0'), line_end = trees.find('\n', std::min(name_end, trees.size()));
    if (line_end == std::string_view::npos || depth > deepest) return false;
    const auto name = trees.substr(0, name_end);
    const auto* line = trees.data() + name_end + 1;
    int entries = 0, folders = 0;
    const auto counted = std::from_chars(line, trees.data() + line_end, entries);
    if (counted.ec != std::errc() || *counted.ptr != ' ') return false;
    const auto rest = std::from_chars(counted.ptr + 1, trees.data() + line_end, folders);
    if (rest.ec != std::errc() || rest.ptr != trees.data() + line_end) return false;
    trees.remove_prefix(line_end + 1);
    const auto path = depth == 0 ? std::string() : above + std::string(name) + "/";
    if (entries >= 0) {
      if (trees.size() < id_bytes) return false;
      if (const auto folder = index_.folders_.find(path); folder != index_.folders_.end()) {
        folder->second.tree = id_at(trees, 0);
      }
      trees.remove_prefix(id_bytes);
    }
    for (int i = 0; i < folders; ++i)
      if (!read_trees(trees, path, depth + 1)) return false;
    return true;
  }

  IndexFile& index_;
  std::string_view bytes_;
  std::size_t at_ = header_bytes;
  std::string_view last_;
  Folder* folder_ = nullptr;
};

std::optional<IndexFile> IndexFile::read(const std::filesystem::path& path) {
  const files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size > max_index_bytes) return std::nullopt;
  auto bytes = content_of(file, size);
  if (!bytes) return std::nullopt;
  std::optional<IndexFile> index(std::in_place);
  index->bytes_ = std::move(*bytes);
  index->written_seconds_ = info.st_mtim.tv_sec;
  if (!Reader(*index).read()) return std::nullopt;
  for (auto& [folder_path, folder] : index->folders_) std::ranges::sort(folder.folders);
  return index;
}

}  // namespace git
