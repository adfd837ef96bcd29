// The numbers behind Engine::version: one for each part of a family, where a part is all keys with the same first eight
// bytes. Several parts may share a number. Raised by the writer, read by every thread.
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
  // Call once the change can be read: a reader may see new records with the old number, never old ones with the new.
  void bump(Family family, std::string_view key) {
    numbers_[slot(family, key)].fetch_add(1, std::memory_order_release);
  }
  // When records may have changed without a write.
  void bump_all() {
    for (auto& number : numbers_) number.fetch_add(1, std::memory_order_release);
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
