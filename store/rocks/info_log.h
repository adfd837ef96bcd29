// RocksDB's own messages. Left to itself RocksDB writes them to a file in the store's folder, and Debian's build aborts
// at the next message after one that could not be written: on a full disk, that is the process.
#pragma once

#include <rocksdb/env.h>

#include <chrono>
#include <cstddef>
#include <mutex>

namespace store {

// Passes warnings and errors to engine_log(), at most `most` an hour; the first one after that gives the number of
// those left out. Writes no file and never fails. Callable from every thread.
class InfoLog final : public rocksdb::Logger {
 public:
  using Clock = std::chrono::steady_clock;
  explicit InfoLog(std::size_t most = 60) : rocksdb::Logger(rocksdb::WARN_LEVEL), most_(most) {}

  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list values) override { Logv(rocksdb::INFO_LEVEL, format, values); }
  void Logv(rocksdb::InfoLogLevel, const char* format, va_list values) override;
  // Of RocksDB's settings at its start.
  void LogHeader(const char*, va_list) override {}

 private:
  // Whether this message is within the limit, and how many were left out before it.
  bool admit(Clock::time_point now, std::size_t& left_out);

  const std::size_t most_;
  std::mutex mutex_;  // protects all below
  Clock::time_point hour_end_{};
  std::size_t written_ = 0, left_out_ = 0;
};

}  // namespace store
