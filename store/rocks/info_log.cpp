#include "store/rocks/info_log.h"

#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "store/engine_log.h"

namespace store {

void InfoLog::Logv(rocksdb::InfoLogLevel level, const char* format, va_list values) {
  const auto& log = engine_log();
  if (level < rocksdb::WARN_LEVEL || level >= rocksdb::HEADER_LEVEL || !log) return;
  std::size_t left_out = 0;
  if (!admit(Clock::now(), left_out)) return;
  std::array<char, 1024> text{};  // longer messages are cut
  if (std::vsnprintf(text.data(), text.size(), format, values) < 0) return;
  std::string message(text.data());
  while (message.ends_with('\n')) message.pop_back();
  if (left_out > 0) message += " (" + std::to_string(left_out) + " messages before it were left out)";
  log(level >= rocksdb::ERROR_LEVEL ? EngineSays::error : EngineSays::warning, message);
}

bool InfoLog::admit(Clock::time_point now, std::size_t& left_out) {
  const std::lock_guard lock(mutex_);
  if (now >= hour_end_) {
    hour_end_ = now + std::chrono::hours(1);
    written_ = 0;
  }
  if (written_ >= most_) {
    ++left_out_;
    return false;
  }
  ++written_;
  left_out = std::exchange(left_out_, 0);
  return true;
}

}  // namespace store
