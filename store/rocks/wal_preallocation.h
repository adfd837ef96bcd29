// Room for what is appended to a log: zeros that are on disk before it comes. A sync of an append that makes a file
// longer has to write the file's new size as well, and on a file system with a journal that costs more than the bytes.
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

// That of one log. Callable from every thread.
class WalPreallocation {
 public:
  // An empty file that is there. On file systems that do not write in place, or are not known to, there is never any.
  explicit WalPreallocation(const std::string& path);
  ~WalPreallocation();
  WalPreallocation(const WalPreallocation&) = delete;
  WalPreallocation& operator=(const WalPreallocation&) = delete;

  // Before so many bytes are appended: nobody fills there from now on. Waits while somebody does.
  void claim(std::size_t size);
  // They are.
  void appended();
  // Where the log ends, whatever the file's size. Nothing once it is closed: at the end of the file then.
  std::optional<std::uint64_t> end() const;
  // Whether it is time to fill: true once, until that is done.
  bool is_short();
  // For a log that is only synced from now on.
  void make_no_more();
  // Makes more of it, durably; nothing when the disk does not take it. After is_short() only.
  void fill();
  // Gives back what is left, so that the file ends where the log does. Before the file is closed.
  void close();

 private:
  const int file_;  // -1: none is made

  mutable std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  std::uint64_t end_ = 0;           // of what was appended
  std::uint64_t claimed_ = 0;       // until here
  std::uint64_t filled_from_ = 0;   // what is filled, or being filled: from here
  std::uint64_t filled_until_ = 0;  // to here
  enum class State { idle, asked, filling, closed } state_ = State::idle;
  bool is_enough_ = false;
};

// Fills on a thread of its own, which begins with the first one.
class LogFiller {
 public:
  LogFiller() = default;
  ~LogFiller();

  // Nothing when no thread can be had.
  void fill(std::shared_ptr<WalPreallocation>);

 private:
  void run();

  std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  std::deque<std::weak_ptr<WalPreallocation>> short_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace store
