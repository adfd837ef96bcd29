#include "appliance/foundation/ordered_id.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "appliance/foundation/crypto/random.h"

namespace agentbox {

namespace {

std::uint64_t random_number() {
  std::uint64_t number = 0;
  std::memcpy(&number, crypto::random_bytes(sizeof number).data(), sizeof number);
  return number;
}

}  // namespace

std::string ordered_id(store::Time at) {
  constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyz", form = "0000000000000-000000000000";
  static std::atomic<std::uint64_t> count{random_number()};  // in base 36
  std::string id(form);
  auto place = id.rbegin();
  const auto write = [&](std::uint64_t number, std::size_t places, std::uint64_t base) {
    for (; places > 0; --places, number /= base) *place++ = digits[number % base];
  };
  write(count.fetch_add(1, std::memory_order_relaxed), 12, digits.size());
  ++place;
  write(static_cast<std::uint64_t>(at.time_since_epoch().count()), 13, 10);
  return id;
}

}  // namespace agentbox
