#include "appliance/network/otlp/exporter.h"

#include <algorithm>
#include <boost/json.hpp>
#include <deque>
#include <iterator>
#include <mutex>

#include "appliance/billing/spans/otlp_json.h"
#include "web/log.h"
#include "web/metrics.h"

namespace otlp {

namespace {

using namespace std::chrono_literals;

constexpr auto pause = 1s;
constexpr auto send_time = 10s;
constexpr std::size_t most_waiting = 8'192, batch_size = 512;

void count_exported(const char* outcome, std::size_t number) {
  web::metrics()
      .counter("agentbox_spans_exported_total", "Spans for OTEL_EXPORTER_OTLP_ENDPOINT, by what became of them.",
               {{"outcome", outcome}})
      .add(number);
}

// The first words of a message are its sender's business, not the collector's.
spans::Span without_content(spans::Span span) {
  if (span.type == spans::Type::plan) span.name = "invoke_agent";
  return span;
}

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded.push_back(text[at]);
      continue;
    }
    const auto high = at + 2 < text.size() ? hex_digit(text[at + 1]) : std::nullopt;
    const auto low = at + 2 < text.size() ? hex_digit(text[at + 2]) : std::nullopt;
    if (!high || !low) return std::nullopt;
    decoded.push_back(static_cast<char>(*high * 16 + *low));
    at += 2;
  }
  return decoded;
}

bool is_token(std::string_view name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
}

bool is_field_value(std::string_view value) {
  return std::ranges::all_of(value, [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

}  // namespace

web::Result<web::FetchHeaders> parse_headers(std::string_view text) {
  web::FetchHeaders headers;
  while (!text.empty()) {
    const auto pair = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    const auto equals = pair.find('=');
    auto name = pair.substr(0, equals);
    while (name.starts_with(' ')) name.remove_prefix(1);
    const auto value = equals == std::string_view::npos ? std::nullopt : percent_decoded(pair.substr(equals + 1));
    if (!is_token(name) || !value || !is_field_value(*value))
      return web::invalid("must be name=value pairs separated by commas, with percent-encoded values");
    headers.emplace_back(name, *value);
  }
  return headers;
}

struct Exporter::Queue {
  Queue(std::string given_url, web::FetchHeaders given_headers)
      : url(std::move(given_url)), headers(std::move(given_headers)) {}

  void add(spans::Span span) {
    const std::scoped_lock lock(mutex);
    waiting.push_back(std::move(span));
    if (waiting.size() <= most_waiting) return;
    waiting.pop_front();
    count_exported("dropped", 1);
  }
  std::vector<spans::Span> take() {
    const std::scoped_lock lock(mutex);
    const auto end = waiting.begin() + static_cast<std::ptrdiff_t>(std::min(waiting.size(), batch_size));
    std::vector<spans::Span> batch(std::make_move_iterator(waiting.begin()), std::make_move_iterator(end));
    waiting.erase(waiting.begin(), end);
    return batch;
  }
  void put_back(std::vector<spans::Span> batch) {
    const std::scoped_lock lock(mutex);
    waiting.insert(waiting.begin(), std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end()));
  }

  const std::string url;
  const web::FetchHeaders headers;
  bool is_failing = false;  // logged once

  std::mutex mutex;  // protects waiting
  std::deque<spans::Span> waiting;
};

Exporter::Exporter(std::string endpoint, web::FetchHeaders headers, boost::asio::io_context& home)
    : queue_(std::make_shared<Queue>(endpoint.substr(0, endpoint.find_last_not_of('/') + 1) + "/v1/traces",
                                     std::move(headers))),
      rounds_(home, "span export", pause, [queue = queue_]() { return send(queue); }) {}

Exporter::~Exporter() = default;

std::function<void(const spans::Span&)> Exporter::sink() const {
  return [queue = queue_](const spans::Span& span) {
    if (!span.is_foreign) queue->add(without_content(span));
  };
}

web::Task<> Exporter::stop() {
  co_await rounds_.stop();
  co_await send(queue_);
}

// Until nothing is left, or the receiver does not take it.
web::Task<> Exporter::send(std::shared_ptr<Queue> queue) {
  for (auto batch = queue->take(); !batch.empty(); batch = queue->take()) {
    web::FetchRequest request{.url = queue->url, .method = "POST", .headers = queue->headers};
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = boost::json::serialize(spans::to_otlp(batch, "agentbox"));
    request.timeout = send_time;
    const auto answer = co_await web::fetch(std::move(request));
    const bool is_sent = answer && answer->status / 100 == 2;
    if (is_sent) {
      count_exported("sent", batch.size());
      queue->is_failing = false;
      continue;
    }
    if (!std::exchange(queue->is_failing, true)) {
      const auto reason = answer ? "status " + std::to_string(answer->status) : answer.error().message;
      web::log::warning("spans_not_exported", {{"reason", reason}});
    }
    const bool is_refused = answer && answer->status / 100 == 4 && answer->status != 429 && answer->status != 408;
    if (is_refused) {
      count_exported("refused", batch.size());
      continue;
    }
    queue->put_back(std::move(batch));
    co_return;
  }
}

}  // namespace otlp
