// What the summarizer can be told. It keeps nothing and reads no other settings.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace summarizer {

// The box names an agent here that comes with its token; others go by their address. Believed of the box alone.
inline constexpr const char* visitor_header = "X-Agentbox-Visitor";

struct Options {
  std::string listen = "127.0.0.1:3100";  // host:port; port 0 picks a free one
  // A listening socket to accept from instead, where the box passes requests on and is believed whose they are. Stays
  // the caller's to close.
  std::optional<int> inherited_socket;
  bool allow_private = false;                   // fetch from private and loopback addresses too, on any port
  std::chrono::milliseconds page_time{10'000};  // for fetching one page, over all redirects
  std::size_t cache_bytes = 0;  // of fetched pages kept for as long as their servers say they are unchanged
  std::string user_agent = "agentbox-summarizer/1.0";
  std::function<void(const std::string& url)> on_ready;  // called once the listener accepts, with the port really bound
  std::string pay_to;                                    // the wallet GET / announces; empty: null there
  unsigned threads = 0;                                  // network threads, and as many that parse; 0: one a core
};

}  // namespace summarizer
