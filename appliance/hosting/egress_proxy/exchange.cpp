#include "appliance/hosting/egress_proxy/exchange.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "appliance/hosting/credentials/binding.h"
#include "web/ascii.h"
#include "web/protocol/chunk_check.h"
#include "web/protocol/response_head.h"
#include "web/routes/reply.h"

namespace egress_proxy {

namespace {

using web::Framing;
using web::Result;
using web::Task;

constexpr std::array hop_by_hop{"connection",
                                "keep-alive",
                                "proxy-authenticate",
                                "proxy-authorization",
                                "proxy-connection",
                                "te",
                                "trailer",
                                "transfer-encoding",
                                "upgrade",
                                "expect",
                                "content-length",
                                "host"};

bool is_hop_by_hop(std::string_view name) {
  return std::ranges::any_of(hop_by_hop, [name](const char* one) { return web::equal_ignoring_case(name, one); });
}

// Sending it twice has the effect of sending it once (RFC 9110, 9.2.1).
bool is_safe(std::string_view method) { return method == "GET" || method == "HEAD" || method == "OPTIONS"; }

std::string chunk(std::string_view bytes) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return std::string(size).append(bytes).append("\r\n");
}

}  // namespace

struct Exchange::Request {
  web::RequestHead head;
  Destination to;
  credentials::Outgoing out;
  std::vector<std::string> used;  // names of credentials
  std::int64_t sent_before = 0, read_before = 0;
};

Exchange::Exchange(Leg& client, Peer peer, credentials::Credentials* credentials, Open open)
    : client_(client), peer_(std::move(peer)), credentials_(credentials), open_(std::move(open)) {}

Task<> Exchange::run(std::optional<Destination> only) {
  for (;;) {
    const auto head = co_await next_head();
    if (!head || !co_await relay(only, *head)) co_return;
  }
}

Task<std::optional<web::RequestHead>> Exchange::next_head() {
  const web::HeadLimits limits{.head_bytes = 64 * 1024, .fields = 200, .line_bytes = 32 * 1024};
  for (;;) {
    const auto verdict = web::check_request_head(client_.input.view(), limits);
    if (const auto* head = std::get_if<web::RequestHead>(&verdict)) co_return *head;
    if (const auto* refusal = std::get_if<web::Refusal>(&verdict)) {
      co_await refuse(web::invalid(std::string(refusal->reason)));
      co_return std::nullopt;
    }
    if (co_await client_.read_more()) co_return std::nullopt;
  }
}

Task<> Exchange::refuse(web::Error error) {
  const auto body = boost::json::serialize(boost::json::object{{"error", error.message}});
  std::string text;
  web::append_status_line(text, web::http_status(error.kind));
  web::append_field(text, "Content-Type", "application/json");
  web::append_field(text, "Content-Length", std::to_string(body.size()));
  text += "Connection: close\r\n\r\n" + body;
  [[maybe_unused]] const auto failed = co_await client_.write(text);
}

Task<> Exchange::note(const Request& request, int status, bool is_refused) {
  for (const auto& name : request.used) {
    credentials::Use use{.owner = peer_.owner,
                         .id = {},
                         .credential = name,
                         .agent = peer_.agent,
                         .host = request.to.host,
                         .method = request.out.method,
                         .status = status,
                         .is_refused = is_refused,
                         .at = {}};
    if (server_) {
      use.bytes_out = server_->bytes_written - request.sent_before;
      use.bytes_in = server_->bytes_read - request.read_before;
    }
    co_await credentials_->note(std::move(use));
  }
}

// False: the connection cannot go on.
Task<bool> Exchange::relay(std::optional<Destination> only, web::RequestHead head) {
  const std::string bytes(client_.input.view().substr(0, head.size));
  const auto line = std::string_view(bytes).substr(0, bytes.find("\r\n"));
  Request request{.head = head, .to = {}, .out = {}, .used = {}};
  request.out.method = line.substr(0, line.find(' '));
  request.out.target = head.target.starts_with('/') ? std::string(head.target) : "/" + std::string(head.target);
  auto destination = only;
  if (!destination) {
    const auto written = line.substr(line.find(' ') + 1);
    if (web::starts_ignoring_case(written, "http://")) destination = destination_of(head.authority, "http");
  } else if (const auto named = destination_of(head.authority, only->scheme); !named || named->host != only->host) {
    destination.reset();  // a tunnel is for one host
  }
  if (!destination) {
    co_await refuse(
        web::invalid("This is a proxy: send the whole URL, "
                     "http://HOST/..., or CONNECT for https."));
    co_return false;
  }
  request.to = *destination;
  request.out.scheme = request.to.scheme;
  request.out.host = request.to.host;
  auto lines = web::field_lines(bytes);
  for (auto field = web::next_field(lines); !field.name.empty(); field = web::next_field(lines))
    if (!is_hop_by_hop(field.name)) request.out.headers.emplace_back(field.name, field.value);
  client_.input.consume(head.size);

  const auto known =
      credentials_ ? credentials_->of_agent(peer_.owner, peer_.agent) : std::vector<credentials::Credential>();
  credentials::Headers traces;
  for (const auto& one : known)
    if (credentials::is_bound_to_host(one, request.to.host))
      std::ranges::copy(credentials::traces_of(one), std::back_inserter(traces));
  Scrubber scrubber(std::move(traces));
  if (credentials_) {
    request.used = credentials::named_in(request.out);
    if (auto put = credentials::put_in(request.out, known); !put) {
      co_await note(request, 403, true);
      co_await refuse(put.error());
      co_return false;
    }
  }
  if (scrubber.is_needed()) {
    // In a part of an answer, as in a compressed one, a secret cannot be found.
    std::erase_if(request.out.headers, [](const auto& one) {
      return web::equal_ignoring_case(one.first, "accept-encoding") || web::equal_ignoring_case(one.first, "range") ||
             web::equal_ignoring_case(one.first, "if-range");
    });
    request.out.headers.emplace_back("Accept-Encoding", "identity");
  }
  const bool is_open = server_ && connected_ == request.to && !server_->has_ended();
  if (!is_open) {
    const bool is_connected = co_await open_way(request);
    if (!is_connected) co_return false;
  }
  // A server may end an idle connection while the next request is under way to it.
  const bool may_repeat = is_open && request.head.body == Framing::none && is_safe(request.out.method);
  auto outcome = co_await exchange(request, scrubber, may_repeat);
  if (outcome.is_unanswered) {
    const bool is_connected = co_await open_way(request);
    if (!is_connected) co_return false;
    outcome = co_await exchange(request, scrubber, false);
  }
  co_await note(request, outcome.status, false);
  co_return outcome.may_go_on;
}

// False: the client has the reason.
Task<bool> Exchange::open_way(const Request& request) {
  auto opened = co_await open_(request.to);
  if (!opened) {
    co_await note(request, web::http_status(opened.error().kind), false);
    co_await refuse(opened.error());
    co_return false;
  }
  server_ = std::move(*opened);
  connected_ = request.to;
  co_return true;
}

Task<Exchange::Outcome> Exchange::exchange(Request& request, Scrubber& scrubber, bool may_repeat) {
  request.sent_before = server_->bytes_written;
  request.read_before = server_->bytes_read;
  const auto sent = co_await send(request);
  if (sent) co_return co_await answer(request, scrubber, may_repeat);
  if (may_repeat) co_return Outcome{.is_unanswered = true};
  co_await refuse(sent.error());
  co_return Outcome{.status = 502};
}

Task<Result<Exchange::Outcome>> Exchange::send(Request& request) {
  const auto& [scheme, host, method, target, headers] = request.out;
  std::string text = method + " " + target + " HTTP/1.1\r\n";
  const bool is_standard = request.to.port == (scheme == "https" ? 443 : 80);
  web::append_field(text, "Host", is_standard ? host : host + ":" + std::to_string(request.to.port));
  for (const auto& [name, value] : headers) web::append_field(text, name, value);
  if (request.head.body == Framing::sized)
    web::append_field(text, "Content-Length", std::to_string(request.head.content_length));
  if (request.head.body == Framing::chunked) text += "Transfer-Encoding: chunked\r\n";
  text += "\r\n";
  if (co_await server_->write(text)) co_return web::bad_gateway(host + " closed the connection.");
  if (request.head.expects_continue && client_.input.empty())
    if (co_await client_.write("HTTP/1.1 100 Continue\r\n\r\n")) co_return web::bad_gateway("The client is gone.");
  if (!co_await send_body(request.head)) co_return web::bad_gateway("The request was not sent completely.");
  co_return Outcome{};
}

Task<bool> Exchange::send_body(const web::RequestHead& head) {
  if (head.body == Framing::sized) {
    for (auto left = head.content_length; left > 0;) {
      if (client_.input.empty() && co_await client_.read_more()) co_return false;
      const auto part =
          client_.input.view().substr(0, std::size_t(std::min<std::uint64_t>(left, client_.input.view().size())));
      if (co_await server_->write(part)) co_return false;
      left -= part.size();
      client_.input.consume(part.size());
    }
  } else if (head.body == Framing::chunked) {
    web::ChunkDecoder decoder(UINT64_MAX / 2);
    for (;;) {
      const auto step = decoder.next(client_.input.view());
      if (step.state == web::ChunkDecoder::State::refused) co_return false;
      if (step.state == web::ChunkDecoder::State::data) {
        const auto piece = chunk(step.data);
        if (co_await server_->write(piece)) co_return false;
      }
      client_.input.consume(step.consumed);
      if (step.state == web::ChunkDecoder::State::done) co_return !co_await server_->write("0\r\n\r\n");
      if (step.state == web::ChunkDecoder::State::need_more && co_await client_.read_more()) co_return false;
    }
  }
  co_return true;
}

Task<Exchange::Outcome> Exchange::answer(const Request& request, Scrubber& scrubber, bool may_repeat) {
  const bool to_head = request.out.method == "HEAD";
  const web::HeadLimits limits{.head_bytes = 64 * 1024, .fields = 200};
  web::ResponseHead head;
  for (;;) {
    const auto verdict = web::check_response_head(server_->input.view(), limits, to_head);
    if (const auto* found = std::get_if<web::ResponseHead>(&verdict)) {
      head = *found;
      if (head.status >= 200) break;
      server_->input.consume(head.size);
      if (head.status != 101) continue;
    }
    const bool is_malformed = !std::holds_alternative<web::NeedMore>(verdict);
    if (is_malformed || co_await server_->read_more()) {
      const bool is_unanswered = !is_malformed && server_->bytes_read == request.read_before;
      if (is_unanswered && may_repeat) co_return Outcome{.is_unanswered = true};
      const std::string why = is_malformed ? " sent a malformed answer." : " closed the connection before it answered.";
      auto failure = web::bad_gateway(request.to.host + why);
      co_await refuse(std::move(failure));
      co_return Outcome{.status = 502};
    }
  }
  const std::string bytes(server_->input.view().substr(0, head.size));
  server_->input.consume(head.size);
  std::string text;
  web::append_status_line(text, head.status);
  bool closes = head.body == Framing::until_close, is_coded = false;
  auto lines = web::field_lines(bytes);
  for (auto field = web::next_field(lines); !field.name.empty(); field = web::next_field(lines)) {
    if (web::equal_ignoring_case(field.name, "connection")) closes = closes || web::list_contains(field.value, "close");
    if (web::equal_ignoring_case(field.name, "content-encoding"))
      is_coded = is_coded || !web::equal_ignoring_case(field.value, "identity");
    const bool is_length_of_get = to_head && web::equal_ignoring_case(field.name, "content-length");
    if (is_hop_by_hop(field.name) && !is_length_of_get) continue;
    web::append_field(text, field.name, scrubber.clean(field.value));
  }
  if (is_coded && scrubber.is_needed() && head.body != Framing::none) {
    co_await refuse(
        web::bad_gateway(request.to.host + " compressed its answer, in which a credential cannot be found."));
    co_return Outcome{.status = head.status};
  }
  const bool may_go_on = request.head.keep_alive && !request.head.http_1_0;
  const bool may_have_body = head.status != 204 && head.status != 304 && !to_head;
  // What is taken out changes the length.
  const bool is_chunked =
      head.body != Framing::none && !request.head.http_1_0 && (scrubber.is_needed() || head.body != Framing::sized);
  if (is_chunked)
    text += "Transfer-Encoding: chunked\r\n";
  else if (head.body == Framing::sized && !scrubber.is_needed())
    web::append_field(text, "Content-Length", std::to_string(head.content_length));
  else if (head.body == Framing::none && may_have_body)
    text += "Content-Length: 0\r\n";
  if (!may_go_on) text += "Connection: close\r\n";
  text += "\r\n";
  if (co_await client_.write(text)) co_return Outcome{.status = head.status};

  const auto pass_on = [this, &scrubber, is_chunked](std::string_view piece, bool is_last) -> Task<bool> {
    auto clean = scrubber.feed(piece);
    if (is_last) clean += scrubber.finish();
    if (is_chunked && !clean.empty()) clean = chunk(clean);
    if (is_chunked && is_last) clean += "0\r\n\r\n";
    co_return clean.empty() || !co_await client_.write(clean);
  };
  web::ChunkDecoder decoder(UINT64_MAX / 2);
  auto left = head.content_length;
  bool is_over = head.body == Framing::none;
  while (!is_over) {
    auto view = server_->input.view();
    std::size_t consumed = 0;
    if (head.body == Framing::chunked) {
      const auto step = decoder.next(view);
      if (step.state == web::ChunkDecoder::State::refused) co_return Outcome{.status = head.status};
      is_over = step.state == web::ChunkDecoder::State::done;
      consumed = step.consumed;
      if (!step.data.empty() && !co_await pass_on(step.data, false)) co_return Outcome{.status = head.status};
    } else {
      if (head.body == Framing::sized) view = view.substr(0, std::size_t(std::min<std::uint64_t>(left, view.size())));
      if (!view.empty() && !co_await pass_on(view, false)) co_return Outcome{.status = head.status};
      consumed = view.size();
      left -= head.body == Framing::sized ? consumed : 0;
      is_over = head.body == Framing::sized && left == 0;
    }
    server_->input.consume(consumed);
    if (is_over || consumed > 0) continue;
    if (co_await server_->read_more()) {
      if (head.body != Framing::until_close) co_return Outcome{.status = head.status};  // the client must notice
      is_over = true;
    }
  }
  if (head.body != Framing::none && !co_await pass_on({}, true)) co_return Outcome{.status = head.status};
  if (closes) server_.reset();
  co_return Outcome{.status = head.status, .may_go_on = may_go_on};
}

}  // namespace egress_proxy
