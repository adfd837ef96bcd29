#include "appliance/box/packing/frame_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "appliance/box/packing/content_digest.h"
#include "appliance/files/root.h"
#include "appliance/foundation/settings/settings.h"

namespace packing {

namespace {

namespace fs = std::filesystem;

constexpr int compression_level = 1;
constexpr std::size_t synced_frames = 4;  // a loss of power loses so many
constexpr std::size_t longest_journal = 256u << 20;

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

std::string digest_of(std::string_view content) {
  Sha256 digest;
  digest.add(content);
  return digest.finish();
}

// A line of the journal: "SHA-256 content size SHA-256", the latter of the compressed bytes.
std::string journal_line(std::string_view digest, std::uint64_t content, std::uint64_t size, std::string_view stored) {
  return std::string(digest) + ' ' + std::to_string(content) + ' ' + std::to_string(size) + ' ' + std::string(stored) +
         '\n';
}

std::size_t concurrency() { return std::clamp(std::thread::hardware_concurrency(), 1u, 4u); }

std::uint64_t size_of(const files::Descriptor& file) {
  const auto end = ::lseek(file.get(), 0, SEEK_END);
  return end < 0 ? 0 : static_cast<std::uint64_t>(end);
}

}  // namespace

FrameWriter::FrameWriter(fs::path file, const std::optional<fs::path>& journal) : path_(std::move(file)) {
  file_ = opened(path_, journal ? 0 : O_EXCL);
  if (!journal) return;
  journal_ = opened(*journal, 0);
  known_ = read_journal();
  std::ranges::reverse(known_);
}

FrameWriter::~FrameWriter() = default;

void FrameWriter::fail() const {
  throw agentbox::UsageError("cannot write " + path_.string() + ": " + std::strerror(errno));
}

// Its complete lines, as far as the file has their frames.
std::vector<FrameWriter::Frame> FrameWriter::read_journal() const {
  std::string text(std::min<std::uint64_t>(size_of(journal_), longest_journal), '\0');
  const auto got = ::pread(journal_.get(), text.data(), text.size(), 0);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  const auto size = size_of(file_);
  std::vector<Frame> frames;
  std::istringstream lines(text);
  std::uint64_t end = 0;
  for (Frame frame; lines >> frame.digest >> frame.content >> frame.size >> frame.stored; frames.push_back(frame))
    if ((end += frame.size) > size) break;
  return frames;
}

void FrameWriter::write(std::string_view content) {
  while (!content.empty()) {
    const auto taken = content.substr(0, frame_bytes - content_.size());
    content_ += taken;
    content.remove_prefix(taken.size());
    if (content_.size() == frame_bytes) end_frame();
  }
}

// Whether the file has it, undamaged.
bool FrameWriter::is_known(const Frame& frame) const {
  if (is_cut_ || known_.empty() || known_.back().digest != frame.digest || known_.back().content != frame.content)
    return false;
  std::string bytes(std::min<std::uint64_t>(known_.back().size, ZSTD_compressBound(frame_bytes)), '\0');
  const auto got = ::pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(end_));
  return got == static_cast<ssize_t>(known_.back().size) && digest_of(bytes) == known_.back().stored;
}

void FrameWriter::end_frame() {
  auto content = std::exchange(content_, {});
  Frame frame{.digest = {}, .content = content.size(), .stored = {}};
  if (!is_cut_ && !known_.empty()) frame.digest = digest_of(content);
  if (is_known(frame)) {
    frame.size = known_.back().size;
    frame.stored = known_.back().stored;
    known_.pop_back();
    end_ += frame.size;
    kept_ += frame.content;
    journal_end_ += journal_line(frame.digest, frame.content, frame.size, frame.stored).size();
    return;
  }
  if (!is_cut_) cut();
  if (underway_.size() >= concurrency()) write_oldest();
  const bool is_journalled = static_cast<bool>(journal_);
  underway_.push_back(std::async(std::launch::async, [is_journalled, content = std::move(content)] {
    Compressed done{.frame = {.digest = {}, .content = content.size(), .stored = {}}, .bytes = compressed(content)};
    done.frame.size = done.bytes.size();
    if (is_journalled) {
      done.frame.digest = digest_of(content);
      done.frame.stored = digest_of(done.bytes);
    }
    return done;
  }));
}

// What follows the frames that were kept is of an earlier call.
void FrameWriter::cut() {
  is_cut_ = true;
  if (::ftruncate(file_.get(), static_cast<off_t>(end_)) != 0 ||
      ::lseek(file_.get(), static_cast<off_t>(end_), SEEK_SET) < 0)
    fail();
  if (!journal_) return;
  const auto end = static_cast<off_t>(journal_end_);
  if (::ftruncate(journal_.get(), end) != 0 || ::lseek(journal_.get(), end, SEEK_SET) < 0) fail();
}

void FrameWriter::write_oldest() {
  const auto done = underway_.front().get();
  underway_.pop_front();
  if (!files::write_all(file_, done.bytes)) fail();
  end_ += done.bytes.size();
  if (!journal_) return;
  lines_ += journal_line(done.frame.digest, done.frame.content, done.frame.size, done.frame.stored);
  if (++unsynced_ == synced_frames) write_journal();
}

void FrameWriter::write_journal() {
  if (::fdatasync(file_.get()) != 0 || !files::write_all(journal_, lines_)) fail();
  lines_.clear();
  unsynced_ = 0;
}

void FrameWriter::finish() {
  if (!content_.empty()) end_frame();
  if (!is_cut_) cut();
  while (!underway_.empty()) write_oldest();
  if (::fsync(file_.get()) != 0) fail();
}

}  // namespace packing
