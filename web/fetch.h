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

using FetchHeaders = std::vector<std::pair<std::string, std::string>>;

struct FetchRequest {
  std::string url;  // http or https; credentials in the URL are refused
  std::string method = "GET";
  FetchHeaders headers;  // with an Accept-Encoding of its own the body stays as it comes; else its codings are undone
  std::string body;
  std::string unix_socket;  // path; the URL's host is then only the Host header. Not with Reach::public_only
  Reach reach = Reach::configured;
  // 0: a redirect is an answer like any other. Otherwise redirects are followed and judged hop by hop; to another
  // origin go only headers that describe the exchange (Accept, Content-Type, User-Agent, ...), never credentials.
  int max_redirects = 0;
  std::chrono::milliseconds timeout{10'000};  // over the whole exchange, all hops; 0: none
  std::chrono::milliseconds connect_timeout{5'000};
  std::size_t max_bytes = 8u << 20;  // of the body, as it comes and after decompression
  // With a sink, body bytes go there as they arrive and FetchResponse::body stays empty. Returning false ends the
  // transfer, which is then a success. Runs on the caller's thread; what it throws is thrown to the caller of fetch.
  std::function<bool(std::string_view)> sink;
  // Called right before the request is written, over a connection that stands: an exchange that fails without it has
  // told the server nothing. Once a hop, on the caller's thread.
  std::function<void()> on_sending;
  // Called once with the final answer's status and headers (names lower-cased), before the first byte of its body.
  // Returning false ends the transfer as for the sink.
  std::function<bool(int status, const FetchHeaders&)> on_head;
};

struct FetchResponse {
  int status = 0;
  FetchHeaders headers;  // of the last hop, names lower-cased
  std::string body;
  std::string final_url;
  std::string header(std::string_view name) const;  // empty when absent
};

// Suspends until the exchange is over. An HTTP error status is a FetchResponse; an Error (bad_gateway, timeout,
// too_large, invalid) means there was no complete answer (a compressed body that ends early is none), and its message
// is a sentence with the cause and no secrets.
// Cancelling the awaiting coroutine (asio cancellation, terminal) aborts the transfer and throws operation_aborted.
// Connections are kept and reused per io_context and per Reach; HTTP/1.1, TLS verified against the system's roots.
Task<Result<FetchResponse>> fetch(FetchRequest);

// True for addresses a page may name: global unicast, v4 or v6, also when embedded (v4-mapped, NAT64, 6to4).
bool is_public_address(std::string_view address);

}  // namespace web
