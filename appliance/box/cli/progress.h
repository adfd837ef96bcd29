// Shows on a terminal how far long work is: on stderr, and only if that is one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

namespace agentbox::cli {

// "packing  [########            ] 41 %  1.2 GB of 2.9 GB  310 MB/s  6 s left"; without a known end, the time that has
// passed. Gone when it is destroyed.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Callable from every thread, often.
  void report(std::uint64_t done, std::uint64_t all);

 private:
  void run();

  const std::string what_;
  const bool is_shown_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::mutex mutex_;  // protects the following
  std::condition_variable ended_;
  bool is_over_ = false;
  std::uint64_t done_ = 0, all_ = 0;
  std::thread painter_;
};

// The line itself.
std::string progress_line(const std::string& what, std::uint64_t done, std::uint64_t all,
                          std::chrono::milliseconds passed);
// "1.2 GB", in powers of 1000.
std::string shown_bytes(std::uint64_t bytes);

}  // namespace agentbox::cli
