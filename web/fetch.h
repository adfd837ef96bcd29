// All outbound HTTP of the house: libcurl's multi-socket interface driven by the caller's own io_context.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "web/result.h"
#include "web/task.h"

namespace web {

// Which addresses a request may connect to. Judged on the address actually connected to, after DNS, at each hop.
enum class Reach {
  configured,  // any address: the URL comes from the box's own settings or is the box itself
  public_only  // the URL comes from a user or a page: globally routable unicast only, ports 80, 443, 8080 and 8443
};

struct FetchRequest {
  std::string url;  // http or https; credentials in the URL are refused
  std::string method = "GET";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string unix_socket;  // path; the URL's host is then only the Host header
  Reach reach = Reach::configured;
  int max_redirects = 0;                             // each hop is judged again; credentials are not forwarded
  std::chrono::milliseconds timeout{10'000};         // over the whole exchange
  std::chrono::milliseconds connect_timeout{5'000};
  std::size_t max_bytes = 8u << 20;                  // after decompression
  // With a sink, body bytes go there as they arrive and FetchResponse::body stays empty. Returning false ends the
  // transfer. Runs on the caller's thread.
  std::function<bool(std::string_view)> sink;
};

struct FetchResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // of the last hop, names lower-cased
  std::string body;
  std::string final_url;
  std::string header(std::string_view name) const;  // empty when absent
};

// Suspends until the exchange is over. An HTTP error status is a FetchResponse; an Error (bad_gateway, timeout,
// too_large, invalid) means there was no complete answer, and its message is a sentence with the cause and no secrets.
// Cancelling the awaiting coroutine (asio cancellation, terminal) aborts the transfer.
Task<Result<FetchResponse>> fetch(FetchRequest);

// True for addresses a page may name: global unicast, v4 or v6, also when embedded (v4-mapped, NAT64, 6to4).
bool is_public_address(std::string_view address);

}  // namespace web
