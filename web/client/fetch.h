// All outgoing HTTP: libcurl's multi-socket interface, driven by the caller's io_context.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "web/client/call_origin.h"
#include "web/result.h"
#include "web/task.h"

namespace web {

// Which addresses a request may connect to. Checked at each hop for the address that is connected to, after DNS.
enum class Reach {
  configured,  // any address: the URL comes from the box's own settings
  own,         // a listener of this box, whatever its address: does not leave the box (outbound.h)
  public_only  // the URL comes from a user or a page: globally routable unicast only, ports 80, 443, 8080 and 8443
};

using FetchHeaders = std::vector<std::pair<std::string, std::string>>;

struct FetchRequest {
  std::string url;  // http or https; credentials in the URL are refused
  std::string method = "GET";
  FetchHeaders headers;  // with an Accept-Encoding among them the body is not decoded
  std::string body;
  std::string unix_socket;  // path; the URL's host is then only the Host header. Not with Reach::public_only
  Reach reach = Reach::configured;
  CallOrigin origin{};  // for the ledger of outbound connections
  // 0: a redirect is a response like any other. Otherwise redirects are followed and checked hop by hop. Another origin
  // receives only headers that describe the exchange (Accept, Content-Type, User-Agent, ...), never credentials.
  int max_redirects = 0;
  std::chrono::milliseconds timeout{10'000};  // over the whole exchange, all hops; 0: none
  std::chrono::milliseconds connect_timeout{5'000};
  std::size_t max_bytes = 8u << 20;  // of the body, before and after decompression
  // With a sink, the bytes of the body are passed to it as they arrive and FetchResponse::body stays empty. Returning
  // false ends the transfer, which then succeeds. Runs on the caller's thread; fetch rethrows its exceptions.
  std::function<bool(std::string_view)> sink;
  // Called once per hop right before the request is written to an established connection. If an exchange fails before
  // this call, the server has received nothing. Runs on the caller's thread.
  std::function<void()> on_sending;
  // Called once with the final response's status and headers (names lower-cased), before the first byte of its body.
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
// too_large, invalid; unavailable if the policy of outbound.h refuses a hop) means that there was no complete response
// (a compressed body that ends early is incomplete). Its message is a sentence with the cause and without secrets.
// Cancelling the awaiting coroutine (asio cancellation, terminal) aborts the transfer and throws operation_aborted.
// Connections are kept and reused per io_context and per Reach; HTTP/1.1, TLS verified against the system's roots.
Task<Result<FetchResponse>> fetch(FetchRequest);

// The same for callers without an event loop. Blocks until the exchange is over.
Result<FetchResponse> fetch_blocking(FetchRequest);

// True for global unicast, v4 or v6, also if embedded (v4-mapped, NAT64, 6to4).
bool is_public_address(std::string_view address);

}  // namespace web
