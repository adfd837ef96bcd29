#include "appliance/box/cli/pack_copy.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include "appliance/box/packing/content_digest.h"

namespace agentbox::cli {

namespace {

namespace fs = std::filesystem;

constexpr auto longest_pause = std::chrono::hours(12);

store::Time last_write(const fs::path& path) {
  struct stat info {};
  return store::Time(std::chrono::seconds(::stat(path.c_str(), &info) == 0 ? info.st_mtim.tv_sec : 0));
}

}  // namespace

PackCopy::PackCopy(const fs::path& file, std::string wanted)
    : folder_(file.string() + ".copy"), draft_(file.string() + ".part"), wanted_(std::move(wanted)) {
  const auto status = fs::symlink_status(folder_.path());
  const bool is_ours = fs::is_directory(status) && (fs::exists(own_mark()) || fs::is_empty(folder_.path()));
  if (fs::exists(status) ? !is_ours : fs::exists(fs::symlink_status(draft_)))
    throw UsageError((fs::exists(status) ? folder_.path() : draft_).string() +
                     " is not of an interrupted pack: move it away, or name another file with --to");
  folder_.prepare("folder of the copy", "--to");
  folder_.require_trusted("--to");
  lock_.reset(::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock_ || ::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
    throw UsageError("another pack to " + file.string() + " is being made");
  if (!fs::exists(own_mark())) write_private_file(own_mark(), "");
}

std::optional<store::Time> PackCopy::completed() const {
  std::ifstream mark(complete_mark());
  const std::string content{std::istreambuf_iterator<char>(mark), {}};
  if (!mark.is_open() || content != complete_text()) return std::nullopt;
  const auto last = std::max(last_write(complete_mark()), last_write(draft_));
  return store::now() - last < longest_pause ? std::optional(last_write(complete_mark())) : std::nullopt;
}

void PackCopy::begin() const {
  fs::remove(complete_mark());
  fs::remove_all(images());
}

store::Time PackCopy::complete() const {
  write_private_file(complete_mark(), complete_text());
  return last_write(complete_mark());
}

void PackCopy::remove() const { fs::remove_all(folder_.path()); }

std::string PackCopy::complete_text() const {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    struct stat info {};
    if (::lstat(entry.path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    const auto name = entry.path().lexically_relative(folder_.path()).string();
    if (name == "complete") continue;
    files.push_back(name + ' ' + std::to_string(info.st_size) + ' ' + std::to_string(info.st_mtim.tv_sec) + '.' +
                    std::to_string(info.st_mtim.tv_nsec) + '\n');
  }
  std::ranges::sort(files);
  packing::Sha256 digest;
  for (const auto& line : files) digest.add(line);
  return wanted_ + digest.finish() + '\n';
}

}  // namespace agentbox::cli
