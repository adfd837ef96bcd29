// The options of the summarizer. It stores nothing and reads no other settings.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace summarizer {

// The box sets this header to the agent of a request with an agent's token; other clients are known by their address.
// Only trusted from the box.
inline constexpr const char* client_id_header = "X-Agentbox-Client-Id";

struct Options {
  std::string listen = "127.0.0.1:3100";  // host:port; port 0 picks a free one
  // A listening socket to use instead, on which the box relays requests and is trusted to name their clients. The
  // caller keeps and closes it.
  std::optional<int> inherited_socket;
  // Where to report what was fetched (outbound_report.h): a pipe that the box reads.
  std::optional<int> report;
  bool allow_private = false;                   // fetch from private and loopback addresses too, on any port
  std::chrono::milliseconds page_time{10'000};  // for fetching one page, over all redirects
  std::size_t cache_bytes = 0;  // size of the cache of fetched pages, which are revalidated with their servers
  std::string user_agent = "agentbox-summarizer/1.0";
  std::function<void(const std::string& url)> on_ready;  // called once the listener accepts, with the bound port
  std::string pay_to;                                    // the wallet in GET /; empty: null
  unsigned threads = 0;                                  // network threads, and as many for parsing; 0: one per core
};

}  // namespace summarizer
