#include "web/server/request_record.h"

#include <algorithm>

namespace web {

namespace {

constexpr std::size_t max_probes = 32;

std::atomic<RequestSlots*> recorded_in{nullptr};

}  // namespace

void record_requests_in(RequestSlots* slots) { recorded_in = slots; }

RequestRecord::RequestRecord(std::string_view method, std::string_view route) {
  auto* const record = recorded_in.load(std::memory_order_acquire);
  if (!record) return;
  const auto number = record->last_number.fetch_add(1, std::memory_order_relaxed) + 1;
  for (std::size_t probe = 0; probe < max_probes && !slot_; ++probe) {
    auto& slot = record->slots[(number + probe) % record->slots.size()];
    std::uint32_t expected = 0;
    if (slot.is_taken.compare_exchange_strong(expected, 1, std::memory_order_acquire)) slot_ = &slot;
  }
  if (!slot_) return;
  slot_->number.store(number, std::memory_order_relaxed);
  auto* at = std::copy_n(method.data(), std::min<std::size_t>(method.size(), 16), slot_->name.data());
  *at++ = ' ';
  const auto room = static_cast<std::size_t>(slot_->name.end() - at) - 1;
  at = std::copy_n(route.data(), std::min(route.size(), room), at);
  *at = '\0';
}

RequestRecord::~RequestRecord() {
  if (slot_) slot_->is_taken.store(0, std::memory_order_release);
}

}  // namespace web
