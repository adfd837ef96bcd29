// Preallocation of write-ahead logs: zeros that are on disk before appends overwrite them. A sync of an append that
// makes a file longer has to write the file's new size as well, which costs more on a journaling file system than the
// bytes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace store {

// The preallocated zeros of one log. Callable from every thread.
class WalPreallocation {
 public:
  // `path`: an empty file that exists. Does nothing on file systems that are not known to write in place.
  explicit WalPreallocation(const std::string& path);
  ~WalPreallocation();
  WalPreallocation(const WalPreallocation&) = delete;
  WalPreallocation& operator=(const WalPreallocation&) = delete;

  // Call before appending so many bytes: they are not filled from now on. Waits while they are being filled.
  void claim(std::size_t size);
  // Call after the append that was claimed.
  void appended();
  // Where the log ends within the file. Nothing once it is closed: then it ends with the file.
  std::optional<std::uint64_t> end() const;
  // Whether to call fill(): true once until it has run.
  bool is_short();
  // For a log that gets no more appends.
  void stop_filling();
  // Adds zeros durably, if the disk has room for them. After is_short() only.
  void fill();
  // Cuts off the unused zeros, so that the file ends where the log does. Call before the file is closed.
  void close();

 private:
  const int file_;  // -1: nothing is preallocated

  mutable std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  std::uint64_t end_ = 0;           // of the appended bytes
  std::uint64_t claimed_ = 0;       // end of the claimed bytes
  std::uint64_t filled_from_ = 0;   // begin of the last fill
  std::uint64_t filled_until_ = 0;  // end of the last fill
  enum class State { idle, requested, filling, closed } state_ = State::idle;
  bool is_stopped_ = false;
};

// Calls WalPreallocation::fill() on a thread of its own, which starts with the first call.
class LogFiller {
 public:
  LogFiller() = default;
  ~LogFiller();

  // Does nothing when no thread can be started.
  void fill(std::shared_ptr<WalPreallocation>);

 private:
  void run();

  std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  std::deque<std::weak_ptr<WalPreallocation>> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace store
