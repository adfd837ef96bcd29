#include "web/client/fetch.h"

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <optional>

#include "web/ascii.h"
#include "web/client/fetch_loop.h"
#include "web/client/outbound.h"
#include "web/protocol/byte_table.h"

namespace web {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Rejects input that could smuggle a second request or break the guarantee of Reach.
std::optional<Error> refusal(const FetchRequest& request) {
  if (!is_token(request.method)) return invalid("the request method is not valid");
  for (const auto& [name, value] : request.headers) {
    if (!is_token(name)) return invalid("the name of a request header is not valid");
    if (!value_byte.holds_all(value)) return invalid("the value of the request header " + name + " is not valid");
  }
  if (!request.unix_socket.empty() && request.reach == Reach::public_only) {
    return invalid("a Unix socket is not a public address");
  }
  return std::nullopt;
}

// Headers without credentials, which another origin may receive.
bool may_cross_origins(std::string_view name) {
  static constexpr std::array<std::string_view, 8> neutral{
      "accept", "accept-encoding", "accept-language", "cache-control", "content-type", "pragma", "range", "user-agent"};
  return std::ranges::any_of(neutral, [name](auto known) { return equal_ignoring_case(known, name); });
}

// Turns the request into that for the next hop (RFC 9110, 15.4; GET after POST as every browser does).
void follow(FetchRequest& request, int status, const FetchUrl& from, const FetchUrl& to) {
  const bool becomes_get =
      (status == 303 && request.method != "HEAD") || ((status == 301 || status == 302) && request.method == "POST");
  if (becomes_get) {
    request.method = "GET";
    request.body.clear();
    std::erase_if(request.headers,
                  [](const auto& header) { return equal_ignoring_case(header.first, "content-type"); });
  }
  if (!from.same_origin(to)) {
    std::erase_if(request.headers, [](const auto& header) { return !may_cross_origins(header.first); });
  }
}

// Each hop is a connection of its own to the policy and the ledger.
Result<Outbound::Passage> admit(const FetchRequest& request, const FetchUrl& url) {
  if (request.reach == Reach::own || !request.unix_socket.empty()) return Outbound::Passage();
  return outbound().admit(request.origin, url.host, url.port_number());
}

}  // namespace

std::string FetchResponse::header(std::string_view name) const {
  const auto found =
      std::ranges::find_if(headers, [name](const auto& h) { return equal_ignoring_case(h.first, name); });
  return found == headers.end() ? std::string() : found->second;
}

Task<Result<FetchResponse>> fetch(FetchRequest request) {
  if (auto error = refusal(request)) co_return std::move(*error);
  FetchLoop& loop = FetchLoop::of(co_await boost::asio::this_coro::executor, request.reach);
  auto url = loop.urls().parse(request.url);
  if (!url) co_return std::move(url).error();

  const auto started = Clock::now();
  for (int redirects = 0;; ++redirects) {
    milliseconds time_left{0};
    if (request.timeout.count() > 0) {
      time_left = request.timeout - std::chrono::duration_cast<milliseconds>(Clock::now() - started);
      time_left = std::max(time_left, milliseconds(1));
    }
    auto passage = admit(request, **url);
    if (!passage) co_return passage.error();
    auto handle = request.sink ? EasyHandles::make() : loop.handles().take();
    Transfer transfer(std::move(handle), request, **url, time_left, std::move(*passage));
    co_await loop.run(transfer);
    const bool redirected = transfer.is_redirect();
    const std::string location = transfer.redirect_url();
    auto response = transfer.take_result();
    if (!response || !redirected) co_return response;

    if (redirects == request.max_redirects) {
      co_return Error{.kind = Kind::bad_gateway,
                      .message = "more than " + std::to_string(request.max_redirects) + " redirects"};
    }
    auto next = loop.urls().parse(location);
    if (!next) co_return Error{.kind = Kind::bad_gateway, .message = "redirected: " + next.error().message};
    follow(request, response->status, **url, **next);
    url = std::move(next);
  }
}

Result<FetchResponse> fetch_blocking(FetchRequest request) {
  boost::asio::io_context io;
  std::optional<Result<FetchResponse>> answer;
  boost::asio::co_spawn(io, fetch(std::move(request)), [&](std::exception_ptr failure, Result<FetchResponse> result) {
    if (failure) std::rethrow_exception(failure);
    answer = std::move(result);
  });
  while (!answer && io.run_one() > 0) continue;
  if (!answer) return internal("the request did not end");
  return std::move(*answer);
}

}  // namespace web
