#include "appliance/box/maintenance/backup_manifest.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <sstream>

#include "appliance/box/packing/content_digest.h"
#include "appliance/box/packing/manifest.h"
#include "appliance/files/root.h"

namespace maintenance {

namespace {

namespace fs = std::filesystem;
using agentbox::DataFolder;
using agentbox::UsageError;
using files::Descriptor;
using packing::Entry;
using packing::EntryType;

constexpr std::array listed_parts{"agentbox.toml.sealed", "agents", "master.key", "skills", "store.schema"};
constexpr std::size_t page_bytes = 4096;

[[noreturn]] void fail(const std::string& what) { throw UsageError(what + ": " + std::strerror(errno)); }

bool is_zero(std::string_view page) {
  return std::ranges::all_of(page, [](char byte) { return byte == '\0'; });
}

std::string digest_of(const Descriptor& file, std::uint64_t size, const std::string& path) {
  packing::ContentDigest digest;
  std::string buffer(64 * page_bytes, '\0');
  for (std::uint64_t at = 0; at < size;) {
    const auto data = ::lseek(file.get(), static_cast<off_t>(at), SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;  // only a hole is left
    if (data >= 0) at = static_cast<std::uint64_t>(data) / page_bytes * page_bytes;
    const auto count = ::pread(file.get(), buffer.data(), buffer.size(), static_cast<off_t>(at));
    if (count < 0) fail("cannot read " + path);
    if (count == 0) break;
    const std::string_view read(buffer.data(), static_cast<std::size_t>(count));
    for (std::size_t page = 0; page < read.size(); page += page_bytes)
      if (const auto bytes = read.substr(page, page_bytes); !is_zero(bytes)) digest.add(at + page, bytes);
    at += read.size();
  }
  return digest.finish(size);
}

// The file of the same path in another tree, which is walked along.
struct Beside {
  const Descriptor* folder = nullptr;  // null: there is none
};

class Walk {
 public:
  using Visit = std::function<void(const Entry&, const Descriptor& file, bool is_same_file)>;
  explicit Walk(Visit visit) : visit_(std::move(visit)) {}

  void add(const Descriptor& folder, Beside beside, const std::string& name, const std::string& path) const {
    struct stat info {};
    if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) return;
      fail("cannot look at " + path);
    }
    Entry entry{.path = path, .mode = info.st_mode & 0777u, .target = {}};
    if (S_ISLNK(info.st_mode)) return add_link(folder, name, std::move(entry));
    const Descriptor opened(::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!opened || ::fstat(opened.get(), &info) != 0) fail("cannot read " + path);
    if (S_ISREG(info.st_mode)) {
      entry.size = static_cast<std::uint64_t>(info.st_size);
      visit_(entry, opened, is_same(beside, name, info));
    } else if (S_ISDIR(info.st_mode)) {
      entry.type = EntryType::folder;
      visit_(entry, opened, false);
      Descriptor other;
      if (beside.folder)
        other.reset(::openat(beside.folder->get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      auto names = files::names_in(opened);
      std::ranges::sort(names);
      for (const auto& below : names) add(opened, {other ? &other : nullptr}, below, path + "/" + below);
    } else {
      throw UsageError(path + " is neither a file nor a folder: no backup has that");
    }
  }

 private:
  void add_link(const Descriptor& folder, const std::string& name, Entry entry) const {
    std::array<char, 4'096> target{};
    const auto size = ::readlinkat(folder.get(), name.c_str(), target.data(), target.size());
    if (size < 0) fail("cannot read the link " + entry.path);
    entry.target.assign(target.data(), static_cast<std::size_t>(size));
    entry.type = EntryType::link;
    visit_(entry, {}, false);
  }

  static bool is_same(Beside beside, const std::string& name, const struct stat& info) {
    struct stat other {};
    return beside.folder && ::fstatat(beside.folder->get(), name.c_str(), &other, AT_SYMLINK_NOFOLLOW) == 0 &&
           other.st_dev == info.st_dev && other.st_ino == info.st_ino;
  }

  const Visit visit_;
};

void walk(const DataFolder& backup, const DataFolder* before, const Walk::Visit& visit) {
  const Descriptor top(::open(backup.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top) fail("cannot open " + backup.path().string());
  const Descriptor other(before ? ::open(before->path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
  const Walk each(visit);
  for (const auto* part : listed_parts) each.add(top, {other ? &other : nullptr}, part, part);
}

// A line without its mode: "./agents/ag_1/workspace/notes.md type=file size=12 sha256digest=...".
std::string without_mode(std::string line) {
  const auto begin = line.find(" mode=");
  if (begin != std::string::npos) line.erase(begin, line.find_first_of(" \n", begin + 1) - begin);
  return line;
}

std::string shown_path(const std::string& line) { return line.substr(2, line.find(' ') - 2).substr(0, 1'000); }

std::optional<std::string> manifest_of(const DataFolder& backup) {
  // Not read_folder_file(): a manifest has no bound.
  const auto file = agentbox::open_in_folder(backup.path(), std::string(manifest_name), O_RDONLY);
  if (!file) return std::nullopt;
  std::string text, piece(1u << 20, '\0');
  for (ssize_t count = 0; (count = ::read(file.get(), piece.data(), piece.size())) != 0;) {
    if (count < 0) fail("cannot read " + (backup.path() / manifest_name).string());
    text.append(piece, 0, static_cast<std::size_t>(count));
  }
  return text;
}

std::string digest_of_text(std::string_view text) {
  packing::Sha256 digest;
  digest.add(text);
  return digest.finish();
}

// By path and size, as they begin a line: "./path type=file mode=0600 size=12".
std::map<std::string, std::string> known_digests(const DataFolder& backup) {
  std::map<std::string, std::string> known;
  std::istringstream lines(manifest_of(backup).value_or(std::string()));
  for (std::string line; std::getline(lines, line);)
    if (const auto at = line.find(" sha256digest="); at != std::string::npos)
      known.emplace(without_mode(line.substr(0, at)), line.substr(line.find('=', at) + 1));
  return known;
}

[[noreturn]] void refuse(const DataFolder& backup, const std::string& what) {
  throw UsageError("the backup in " + backup.path().string() + " is damaged: " + what +
                   ". Restore an older backup; to restore this one as it is, move its " + std::string(manifest_name) +
                   " away");
}

}  // namespace

void write_manifest(const DataFolder& backup, const DataFolder& before, const std::string& master_key) {
  const auto known = known_digests(before);
  std::string text(packing::manifest_begin);
  walk(backup, &before, [&](const Entry& entry, const Descriptor& file, bool is_same_file) {
    std::string digest;
    if (entry.type == EntryType::file) {
      const auto line = packing::manifest_line(entry, "");
      const auto found =
          is_same_file ? known.find(without_mode(line.substr(0, line.find(" sha256digest=")))) : known.end();
      digest = found != known.end() ? found->second : digest_of(file, entry.size, entry.path);
    }
    text += packing::manifest_line(entry, digest);
  });
  agentbox::write_private_file(backup.path() / manifest_name, text);
  agentbox::write_private_file(backup.path() / manifest_signature_name,
                               packing::sign_manifest(digest_of_text(text), master_key) + "\n");
}

bool check_manifest(const DataFolder& backup, const std::string& master_key) {
  const auto text = manifest_of(backup);
  if (!text) return false;
  auto signature = agentbox::read_folder_file(backup.path() / manifest_signature_name).value_or(std::string());
  while (signature.ends_with('\n')) signature.pop_back();
  if (!packing::is_signed_manifest(digest_of_text(*text), signature, master_key))
    refuse(backup, std::string(manifest_name) + " does not have the signature of its box");
  std::istringstream lines(*text);
  std::string expected;
  std::getline(lines, expected);  // manifest_begin
  const auto next = [&] { expected = std::getline(lines, expected) ? expected + "\n" : std::string(); };
  next();
  walk(backup, nullptr, [&](const Entry& entry, const Descriptor& file, bool) {
    const auto found =
        packing::manifest_line(entry, entry.type == EntryType::file ? digest_of(file, entry.size, entry.path) : "");
    if (without_mode(found) != without_mode(expected)) {
      if (!expected.empty() && shown_path(found) != shown_path(expected))
        refuse(backup, shown_path(expected) + " is missing, or " + shown_path(found) + " is not its own");
      refuse(backup, shown_path(found) + (expected.empty() ? " is not its own" : " has changed"));
    }
    next();
  });
  if (!expected.empty()) refuse(backup, shown_path(expected) + " is missing");
  return true;
}

bool is_in_manifest(const DataFolder& backup, std::string_view part) {
  const auto text = manifest_of(backup);
  return text && text->find("\n./" + std::string(part) + " ") != std::string::npos;
}

}  // namespace maintenance
