#include "web/server/proxy.h"

#include <algorithm>
#include <array>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/address.hpp>

#include "web/admission/csrf.h"
#include "web/ascii.h"
#include "web/protocol/request_head.h"
#include "web/routes/reply.h"
#include "web/server/body_reader.h"
#include "web/server/stream_writer.h"

namespace web {

namespace asio = boost::asio;

namespace {

// Hop-by-hop fields, and those the proxy writes itself.
constexpr std::array hop_by_hop{"connection",
                                "keep-alive",
                                "proxy-authenticate",
                                "proxy-authorization",
                                "proxy-connection",
                                "te",
                                "trailer",
                                "transfer-encoding",
                                "upgrade",
                                "content-length",
                                "expect",
                                "x-forwarded-for",
                                "x-forwarded-proto",
                                "x-forwarded-host"};

// Fields of an answer that reach beyond the page that sends them: they clear what the browser keeps of the host, change
// how it connects to it, and let other sites' scripts send the browser's cookies along and read the answer.
constexpr std::array not_relayed{"clear-site-data", "strict-transport-security", "alt-svc", "service-worker-allowed",
                                 "access-control-allow-credentials"};

bool is_any(std::string_view name, const auto& names) {
  return std::any_of(names.begin(), names.end(), [&](const auto& one) { return equal_ignoring_case(name, one); });
}

// A field named by a Connection field is hop-by-hop, too.
bool named_by_connection(const Request& request, std::string_view name) {
  return std::any_of(request.headers.begin(), request.headers.end(), [&](const Header& header) {
    return equal_ignoring_case(header.name, "connection") && list_contains(header.value, name);
  });
}

std::string request_head(const RelayedRequest& relayed, const ProxyTarget& target) {
  const auto& request = relayed.request;
  std::string out(to_string(request.method));
  out += ' ';
  out += target.request_target.empty() ? origin_form(request) : target.request_target;
  out += " HTTP/1.1\r\n";
  const auto written_here = [&target](std::string_view name) {
    return std::any_of(target.headers.begin(), target.headers.end(),
                       [name](const auto& own) { return equal_ignoring_case(own.first, name); });
  };
  for (const auto& [name, value] : request.headers) {
    if (written_here(name) || is_any(name, hop_by_hop) || is_any(name, target.drop_headers) ||
        named_by_connection(request, name) || equal_ignoring_case(name, "host"))
      continue;
    append_field(out, name, value);
  }
  const std::string own_host = target.host + ':' + std::to_string(target.port);  // HTTP/1.0 may have none
  const auto host = request.header("Host");
  if (!written_here("Host")) append_field(out, "Host", host.empty() ? own_host : host);
  for (const auto& [name, value] : target.headers) append_field(out, name, value);
  const auto append_unless_dropped = [&](std::string_view name, std::string_view value) {
    if (!is_any(name, target.drop_headers)) append_field(out, name, value);
  };
  append_unless_dropped("X-Forwarded-For", request.client_address);
  append_unless_dropped("X-Forwarded-Proto", request.secure ? "https" : "http");
  append_unless_dropped("X-Forwarded-Host", host);
  if (relayed.head.websocket) {
    out += "Connection: Upgrade\r\nUpgrade: websocket\r\n";
  } else {
    out += "Connection: close\r\n";
    if (relayed.head.body == Framing::sized)
      append_field(out, "Content-Length", std::to_string(relayed.head.content_length));
    if (relayed.head.body == Framing::chunked) out += "Transfer-Encoding: chunked\r\n";
    const bool expects_length = request.method == Method::post || request.method == Method::put;
    if (relayed.head.body == Framing::none && expects_length) out += "Content-Length: 0\r\n";
  }
  return out += "\r\n";
}

// Whether a cookie is for the host that sets it. One for a domain above would reach the hosts of other targets, and the
// box.
bool is_own_cookie(std::string_view set_cookie, std::string_view host) {
  const auto host_name = host.substr(0, host.find(':'));
  for (auto rest = set_cookie; rest.find(';') != std::string_view::npos;) {
    rest.remove_prefix(rest.find(';') + 1);
    const auto attribute = rest.substr(0, rest.find(';'));
    const auto equals = attribute.find('=');
    if (!equal_ignoring_case(trim(attribute.substr(0, equals)), "domain")) continue;
    auto domain = equals == std::string_view::npos ? std::string_view() : trim(attribute.substr(equals + 1));
    if (domain.starts_with('.')) domain.remove_prefix(1);
    if (!equal_ignoring_case(domain, host_name)) return false;
  }
  return true;
}

// The target's response head for the client, with the framing `chunked` or the target's own length.
std::string response_head(std::string_view head, const ResponseHead& checked, bool chunked, bool to_head,
                          Persistence persistence, std::string_view host) {
  std::string out;
  append_status_line(out, checked.status);
  bool dated = false;
  auto lines = field_lines(head);
  for (auto field = next_field(lines); !field.name.empty(); field = next_field(lines)) {
    const bool length_of_get = to_head && equal_ignoring_case(field.name, "content-length");
    if ((is_any(field.name, hop_by_hop) && !length_of_get) || is_any(field.name, not_relayed)) continue;
    if (equal_ignoring_case(field.name, "set-cookie") && !is_own_cookie(field.value, host)) continue;
    dated = dated || equal_ignoring_case(field.name, "date");
    append_field(out, field.name, field.value);
  }
  if (!dated) append_date(out);
  if (chunked) out += "Transfer-Encoding: chunked\r\n";
  if (checked.body == Framing::sized) append_field(out, "Content-Length", std::to_string(checked.content_length));
  const bool may_have_body = checked.status >= 200 && checked.status != 204 && checked.status != 304;
  if (checked.body == Framing::none && !to_head && may_have_body) out += "Content-Length: 0\r\n";
  if (persistence == Persistence::close) out += "Connection: close\r\n";
  if (persistence == Persistence::keep_alive_1_0) out += "Connection: keep-alive\r\n";
  return out += "\r\n";
}

bool carries_events(std::string_view head) {
  constexpr std::string_view events = "text/event-stream";
  auto lines = field_lines(head);
  for (auto field = next_field(lines); !field.name.empty(); field = next_field(lines))
    if (equal_ignoring_case(field.name, "content-type"))
      return equal_ignoring_case(field.value.substr(0, events.size()), events);
  return false;
}

RelayOutcome failure(Error error) {
  RelayOutcome outcome;
  outcome.answer = error_response(error);
  return outcome;
}

Error timed_out(std::string message) { return {.kind = Kind::timeout, .message = std::move(message)}; }

// Copies bytes from one side to the other until either closes. The tunnel is idle only if both directions are.
Task<> pump(Wire& from, Wire& to, Clock::duration write_time, Clock::duration idle) {
  const auto block = std::make_unique_for_overwrite<char[]>(8192);
  for (;;) {
    from.arm(idle);
    to.arm(idle);
    const auto [error, size] = co_await from.async_read_some(asio::buffer(block.get(), 8192), use_tuple);
    if (error || co_await to.write({block.get(), size}, {}, write_time)) co_return;
  }
}

// Returns false instead of throwing if a write fails.
Task<bool> quietly(Task<> write) {
  try {
    co_await std::move(write);
    co_return true;
  } catch (const boost::system::system_error&) {
    co_return false;
  }
}

// Why the client's body could not be relayed completely; status 0: the client is gone.
using BodyFault = std::optional<Refusal>;

Task<BodyFault> send_body(const RelayedRequest& relayed, Wire& target) {
  if (relayed.head.body == Framing::none) co_return std::nullopt;
  constexpr Refusal gone{0, {}};
  if (relayed.head.expects_continue && relayed.input.empty())
    if (co_await relayed.client.write("HTTP/1.1 100 Continue\r\n\r\n", {}, relayed.limits.write_time)) co_return gone;
  BodyReader reader(relayed.client, relayed.input, relayed.head.body, relayed.head.content_length, UINT64_MAX / 2);
  BodyWriter writer(target, relayed.head.body == Framing::chunked, relayed.limits.write_time);
  bool target_listens = true;  // it may respond early and stop reading; its response counts
  for (;;) {
    const auto piece = co_await reader.next(relayed.limits.body_stall_time);
    switch (piece.kind) {
      case BodyReader::Piece::Kind::data:
        break;
      case BodyReader::Piece::Kind::end:
        if (target_listens) co_await quietly(writer.finish());
        co_return std::nullopt;
      case BodyReader::Piece::Kind::refused:
        co_return piece.refusal;
      case BodyReader::Piece::Kind::late:
        co_return Refusal{408, "The request body did not arrive in time."};
      case BodyReader::Piece::Kind::closed:
        co_return gone;
    }
    std::string bytes(piece.bytes);
    if (target_listens) target_listens = co_await quietly(writer.write(std::move(bytes)));
  }
}

}  // namespace

Task<RelayOutcome> relay_request(RelayedRequest relayed, const ProxyTarget& target) {
  using namespace asio::experimental::awaitable_operators;
  if (relayed.head.websocket && !origin_is_own(relayed.request)) co_return failure(forbidden("Origin not allowed"));

  error_code error;
  const auto address = asio::ip::make_address(target.host, error);
  if (error) co_return failure(internal(target.name + "'s address is not known", target.host));
  Wire upstream(Socket(relayed.client.get_executor()), relayed.deadlines);
  upstream.arm(relayed.limits.proxy_connect_time);
  std::tie(error) = co_await upstream.socket().async_connect({address, target.port}, use_tuple);
  upstream.disarm();
  if (upstream.expired()) co_return failure(timed_out(target.name + " does not accept connections"));
  if (error) co_return failure(bad_gateway(target.name + " cannot be reached: " + error.message()));
  error_code ignored;
  upstream.socket().set_option(asio::ip::tcp::no_delay(true), ignored);

  const auto head = request_head(relayed, target);
  if ((error = co_await upstream.write(head, {}, relayed.limits.write_time)))
    co_return failure(bad_gateway(target.name + " closed the connection: " + error.message()));
  if (const auto fault = co_await send_body(relayed, upstream)) {
    RelayOutcome outcome{.status = fault->status == 0 ? 400 : fault->status};
    if (fault->status != 0) outcome.answer = web::json(boost::json::object{{"error", fault->reason}}, fault->status);
    co_return outcome;
  }

  const bool to_head = relayed.request.method == Method::head;
  const std::string host(relayed.request.header("Host"));
  InputBuffer answer;
  ResponseHead checked;
  upstream.arm(relayed.limits.proxy_answer_time);
  for (;;) {
    const HeadLimits limits{.head_bytes = 64 * 1024, .fields = 200};
    const auto verdict = check_response_head(answer.view(), limits, to_head);
    if (std::holds_alternative<Refusal>(verdict))
      co_return failure(bad_gateway(target.name + "'s answer is malformed"));
    if (const auto* found = std::get_if<ResponseHead>(&verdict)) {
      if (found->status >= 200 || found->status == 101) {
        checked = *found;
        break;
      }
      answer.consume(found->size);  // an interim response
      continue;
    }
    const auto [failed, size] = co_await upstream.async_read_some(answer.prepare(), use_tuple);
    if (upstream.expired()) co_return failure(timed_out(target.name + " does not answer"));
    if (failed) co_return failure(bad_gateway(target.name + " closed the connection before it answered"));
    answer.commit(size);
  }
  upstream.disarm();

  RelayOutcome outcome{.status = checked.status};
  const std::string their_head(answer.view().substr(0, checked.size));
  answer.consume(checked.size);
  if (checked.status == 101) {
    if (!relayed.head.websocket) co_return failure(bad_gateway(target.name + "'s answer is malformed"));
    std::string switching = response_head(their_head, checked, false, false, Persistence::keep_alive, host);
    switching.insert(switching.size() - 2, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
    if (co_await relayed.client.write(switching, answer.view(), relayed.limits.write_time)) co_return outcome;
    if (!relayed.input.empty() && co_await upstream.write(relayed.input.view(), {}, relayed.limits.write_time))
      co_return outcome;
    const auto idle = 2 * relayed.limits.websocket_idle_time;
    const auto write_time = relayed.limits.write_time;
    if (relayed.on_flow) relayed.on_flow(true);
    co_await (pump(relayed.client, upstream, write_time, idle) || pump(upstream, relayed.client, write_time, idle));
    relayed.client.close();
    co_return outcome;
  }

  // A body that ends with the target's connection is sent chunked; for HTTP/1.0 clients it ends with their connection.
  const bool open_ended = checked.body == Framing::chunked || checked.body == Framing::until_close;
  const bool chunked = open_ended && !relayed.head.http_1_0;
  const auto persistence = open_ended && !chunked ? Persistence::close : relayed.persistence;
  const auto our_head = response_head(their_head, checked, chunked, to_head, persistence, host);
  if (co_await relayed.client.write(our_head, {}, relayed.limits.write_time)) co_return outcome;
  if (checked.body != Framing::none) {
    if (relayed.on_flow) relayed.on_flow(carries_events(their_head));
    BodyReader reader(upstream, answer, checked.body, checked.content_length, UINT64_MAX / 2);
    BodyWriter writer(relayed.client, chunked, relayed.limits.write_time);
    try {
      for (;;) {
        const auto piece = co_await reader.next(relayed.limits.proxy_answer_time);
        if (piece.kind == BodyReader::Piece::Kind::end) break;
        if (piece.kind != BodyReader::Piece::Kind::data) co_return outcome;  // truncated: the client must notice it
        outcome.bytes += piece.bytes.size();
        co_await writer.write(std::string(piece.bytes));
      }
      co_await writer.finish();
    } catch (const boost::system::system_error&) {
      co_return outcome;  // the client is gone
    }
  }
  outcome.going_on = persistence != Persistence::close;
  co_return outcome;
}

}  // namespace web
