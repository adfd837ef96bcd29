// Which requests are in progress, in memory that a signal handler may read: what the process was doing when it crashed.
// Holds methods and patterns of routes only, and nothing that a client has sent.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace web {

struct RequestSlots {
  struct Slot {
    std::atomic<std::uint32_t> is_taken{0};  // while the request is in progress
    std::atomic<std::uint64_t> number{0};    // of the request; 0: there was none
    std::array<char, 116> name{};            // "POST /api/chat"; ends with a zero
  };
  std::array<Slot, 256> slots;
  std::atomic<std::uint64_t> last_number{0};
};

// From now on requests are recorded there; null: nowhere. It must outlive every request. Thread-safe.
void record_requests_in(RequestSlots*);

// A request that is in progress while this lives. With every slot taken it is not recorded.
class RequestRecord {
 public:
  RequestRecord(std::string_view method, std::string_view route);
  ~RequestRecord();
  RequestRecord(const RequestRecord&) = delete;
  RequestRecord& operator=(const RequestRecord&) = delete;

 private:
  RequestSlots::Slot* slot_ = nullptr;
};

}  // namespace web
