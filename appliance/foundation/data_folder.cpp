#include "appliance/foundation/data_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <sstream>

#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/master_key.h"

namespace agentbox {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t key_bytes = 32, max_read = std::size_t{16} << 20;

std::string reason() { return std::strerror(errno); }

void write_all(int file, const std::string& content, const fs::path& path) {
  for (std::size_t done = 0; done < content.size();) {
    const auto count = write(file, content.data() + done, content.size() - done);
    if (count < 0) throw UsageError("cannot write " + path.string() + ": " + reason());
    done += static_cast<std::size_t>(count);
  }
}

// This process's user, and root.
bool is_trusted(uid_t user) { return user == geteuid() || user == 0; }

std::string parse_key(std::istream& input, const fs::path& path) {
  std::string text;
  if (!(input >> text)) throw UsageError("the master key " + path.string() + " is empty: put the original file back");
  std::string key = crypto::unhex(text);
  if (key.size() != key_bytes)
    throw UsageError("the master key " + path.string() + " must hold 64 hex digits: put the original file back");
  return key;
}

}  // namespace

void write_private_file(const fs::path& path, const std::string& content) {
  const fs::path draft = path.string() + ".new";
  unlink(draft.c_str());  // of a call that was cut off; never written into, since another user may have it open
  const int file = open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) throw UsageError("cannot write " + draft.string() + ": " + reason());
  const std::unique_ptr<const int, void (*)(const int*)> closer(&file, [](const int* fd) { close(*fd); });
  write_all(file, content, draft);
  if (fsync(file) != 0) throw UsageError("cannot write " + draft.string() + ": " + reason());
  if (rename(draft.c_str(), path.c_str()) != 0) throw UsageError("cannot write " + path.string() + ": " + reason());
}

files::Descriptor open_in_folder(const fs::path& folder, const std::string& name, int flags) {
  const files::Descriptor parent(open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat info {};
  if (!parent || fstat(parent.get(), &info) != 0) return {};
  const int links = is_trusted(info.st_uid) ? 0 : O_NOFOLLOW;
  return files::Descriptor(openat(parent.get(), name.c_str(), flags | links | O_NONBLOCK | O_CLOEXEC));
}

std::optional<std::string> read_folder_file(const fs::path& path) {
  const auto shown = path.string();
  const auto file = open_in_folder(path.parent_path(), path.filename().string(), O_RDONLY);
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!file && errno == ELOOP)
    throw UsageError(shown + " is a link in another user's folder, which is not followed: put the file itself there");
  if (!file) throw UsageError("cannot read " + shown + ": " + reason() + "; check the path and its permissions");
  struct stat info {
  }, parent{};
  if (fstat(file.get(), &info) != 0 || stat(path.has_parent_path() ? path.parent_path().c_str() : ".", &parent) != 0)
    throw UsageError("cannot look at " + shown + ": " + reason());
  if (!S_ISREG(info.st_mode)) throw UsageError(shown + " is not a regular file: put the original file back");
  const bool is_of_folder = info.st_uid == parent.st_uid || (is_trusted(info.st_uid) && info.st_nlink == 1);
  if (!is_trusted(parent.st_uid) && !is_of_folder)
    throw UsageError(shown + " belongs to user " + std::to_string(info.st_uid) + ", and its folder to user " +
                     std::to_string(parent.st_uid) + ": give it to the owner of the folder");
  std::string content;
  std::array<char, 64 * 1024> piece;
  for (;;) {
    const auto count = read(file.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw UsageError("cannot read " + shown + ": " + reason());
    if (count == 0) return content;
    content.append(piece.data(), static_cast<std::size_t>(count));
    if (content.size() > max_read) throw UsageError(shown + " is larger than 16 MB: put the original file back");
  }
}

std::string read_own_key_file(const fs::path& path) {
  const auto text = read_folder_file(path);
  if (!text) throw UsageError("there is no master key " + path.string() + ": put the original file back");
  std::istringstream input(*text);
  return parse_key(input, path);
}

std::string read_key_file(const fs::path& path) {
  std::ifstream input(path);
  if (!input) throw UsageError("cannot read the master key " + path.string() + ": check the path and its permissions");
  return parse_key(input, path);
}

void write_key_file(const fs::path& path, const std::string& master_key) {
  write_private_file(path, crypto::hex(master_key) + "\n");
}

std::string key_fingerprint(const std::string& master_key) {
  return crypto::sha256_hex("agentbox master key fingerprint:" + master_key);
}

void DataFolder::prepare(std::string_view kind, std::string_view flag) const {
  const auto advice = "name another one with " + std::string(flag);
  std::error_code error;
  if (!fs::exists(path_, error)) {
    if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), error);
    if (error || (mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST)) {
      throw UsageError("cannot make the " + std::string(kind) + " " + path_.string() + ": " +
                       (error ? error.message() : reason()) + "; " + advice);
    }
  }
  if (!fs::is_directory(path_, error)) throw UsageError(path_.string() + " is not a folder: " + advice);
  if (access(path_.c_str(), W_OK | X_OK) != 0)
    throw UsageError("cannot write to the " + std::string(kind) + " " + path_.string() + ": " + reason() +
                     "; change its owner or " + advice);
}

void DataFolder::require_box() const {
  if (!fs::exists(store()))
    throw UsageError("there is no box in " + path_.string() + ": name its data folder with --data");
}

void DataFolder::require_trusted(std::string_view flag) const {
  const auto advice = ": name a new folder in it, or another one, with " + std::string(flag);
  struct stat info {};
  if (stat(path_.c_str(), &info) != 0) throw UsageError("cannot look at " + path_.string() + ": " + reason());
  if (info.st_uid != geteuid() && info.st_uid != 0)
    throw UsageError(path_.string() + " belongs to user " + std::to_string(info.st_uid) +
                     ", who could read and change what is written there" + advice);
  const bool is_group_trusted = info.st_gid == getegid() || info.st_gid == 0;
  if ((info.st_mode & S_IWOTH) != 0 || ((info.st_mode & S_IWGRP) != 0 && !is_group_trusted))
    throw UsageError("other users can write in " + path_.string() + advice);
}

std::string DataFolder::master_key(const Settings& settings) const {
  if (!settings.master_key.empty()) return crypto::unhex(settings.master_key);
  if (const auto credential = master_key_credential()) return read_key_file(*credential);
  if (fs::exists(fs::symlink_status(key_file()))) return read_own_key_file(key_file());
  if (fs::exists(store())) {
    throw UsageError("the master key " + key_file().string() +
                     " is missing: put it back, or set AGENTBOX_MASTER_KEY, to open this data folder");
  }
  std::string key = crypto::random_bytes(key_bytes);
  write_key_file(key_file(), key);
  return key;
}

}  // namespace agentbox
