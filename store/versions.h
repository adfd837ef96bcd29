// Tells whether any record of an owner has changed: one number for each part of a family, where a part is all keys with
// the same first eight bytes, give or take parts that share a number. Bumped by the writer, read by every thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "store/engine.h"

namespace store {

class Versions {
 public:
  std::uint64_t of(Family family, std::string_view key) const {
    return numbers_[slot(family, key)].load(std::memory_order_acquire);
  }
  // After the change can be read: whoever sees the old number may have read the old records, never the other way round.
  void bump(Family family, std::string_view key) {
    numbers_[slot(family, key)].fetch_add(1, std::memory_order_release);
  }

 private:
  static constexpr std::size_t slots = 1u << 12;
  static std::size_t slot(Family family, std::string_view key) {
    std::uint64_t part = 0;
    key.copy(reinterpret_cast<char*>(&part), sizeof part);
    part = (part ^ family * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;  // spread over the high bits
    return part >> 52;
  }
  std::array<std::atomic<std::uint64_t>, slots> numbers_{};
};

}  // namespace store
