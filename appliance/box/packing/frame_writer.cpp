#include "appliance/box/packing/frame_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include "appliance/files/root.h"
#include "appliance/foundation/settings/settings.h"

namespace packing {

namespace {

namespace fs = std::filesystem;

constexpr int compression_level = 1;

files::Descriptor opened(const fs::path& path, int flags) {
  files::Descriptor file(::open(path.c_str(), flags | O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) throw agentbox::UsageError("cannot write " + path.string() + ": " + std::strerror(errno));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid() || info.st_nlink != 1 ||
      ::fchmod(file.get(), 0600) != 0)
    throw agentbox::UsageError(path.string() + " is not a file of this user: remove it, or name another file");
  return file;
}

std::string compressed(std::string_view content) {
  std::string bytes(ZSTD_compressBound(content.size()), '\0');
  const auto size = ZSTD_compress(bytes.data(), bytes.size(), content.data(), content.size(), compression_level);
  if (ZSTD_isError(size) != 0) throw std::runtime_error(std::string("Zstandard failed: ") + ZSTD_getErrorName(size));
  bytes.resize(size);
  return bytes;
}

std::size_t concurrency() { return std::clamp(std::thread::hardware_concurrency(), 1u, 4u); }

}  // namespace

FrameWriter::FrameWriter(fs::path file, Existing existing)
    : path_(std::move(file)), file_(opened(path_, existing == Existing::refused ? O_EXCL : 0)) {}

FrameWriter::~FrameWriter() = default;

void FrameWriter::fail() const {
  throw agentbox::UsageError("cannot write " + path_.string() + ": " + std::strerror(errno));
}

void FrameWriter::write(std::string_view content) {
  while (!content.empty()) {
    if (content_.empty()) content_.reserve(std::min(frame_bytes, content.size()));
    const auto taken = content.substr(0, frame_bytes - content_.size());
    content_ += taken;
    content.remove_prefix(taken.size());
    if (content_.size() == frame_bytes) end_frame();
  }
}

// Of the next frame in the file, if it holds this content; else 0.
std::size_t FrameWriter::size_of_kept(std::string_view content) const {
  std::string bytes(ZSTD_compressBound(frame_bytes), '\0');
  const auto got = ::pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(kept_end_));
  if (got <= 0) return 0;
  const auto size = ZSTD_findFrameCompressedSize(bytes.data(), static_cast<std::size_t>(got));
  if (ZSTD_isError(size) != 0 || ZSTD_getFrameContentSize(bytes.data(), size) != content.size()) return 0;
  std::string held(content.size(), '\0');
  const auto count = ZSTD_decompress(held.data(), held.size(), bytes.data(), size);
  return count == held.size() && held == content ? size : 0;
}

void FrameWriter::end_frame() {
  auto content = std::exchange(content_, {});
  if (!is_cut_) {
    if (const auto size = size_of_kept(content); size > 0) {
      kept_ += content.size();
      kept_end_ += size;
      return;
    }
    cut();
  }
  if (underway_.size() >= concurrency()) write_oldest();
  underway_.push_back(std::async(std::launch::async, [content = std::move(content)] { return compressed(content); }));
}

// What follows the frames that were kept is of an earlier call.
void FrameWriter::cut() {
  is_cut_ = true;
  const auto end = static_cast<off_t>(kept_end_);
  if (::ftruncate(file_.get(), end) != 0 || ::lseek(file_.get(), end, SEEK_SET) < 0) fail();
}

void FrameWriter::write_oldest() {
  const auto bytes = underway_.front().get();
  underway_.pop_front();
  if (!files::write_all(file_, bytes)) fail();
}

void FrameWriter::finish() {
  if (!content_.empty()) end_frame();
  if (!is_cut_) cut();
  while (!underway_.empty()) write_oldest();
  if (::fsync(file_.get()) != 0) fail();
}

}  // namespace packing
