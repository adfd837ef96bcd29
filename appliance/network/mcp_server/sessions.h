// Sessions of clients that speak a protocol from before 2026-07-28. They hold nothing but who began them.
#pragma once

#include <chrono>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "web/protocol/http.h"

namespace mcp_server {

// In memory: after a restart of the box clients start over, as the protocol has it. Callable from every thread.
class Sessions {
 public:
  using Clock = std::chrono::steady_clock;

  // Beyond the most sessions, the one that was used least recently ends.
  std::string begin(const web::Caller&, Clock::time_point now);
  // Whether this caller began the session, and it was used within the last hour.
  bool use(std::string_view id, const web::Caller&, Clock::time_point now);
  // False: there is no such session of this caller.
  bool end(std::string_view id, const web::Caller&);

 private:
  struct Session {
    std::string id;
    std::int64_t user_id;
    std::string credential;
    Clock::time_point used_at;
  };
  using List = std::list<Session>;
  List::iterator find(std::string_view id, const web::Caller&);
  void erase(List::iterator);

  std::mutex mutex_;
  // Protected by mutex_.
  List sessions_;  // most recently used first
  std::unordered_map<std::string_view, List::iterator> by_id_;
};

}  // namespace mcp_server
