#include "appliance/runtime/watchdog/channel.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <charconv>
#include <deque>
#include <optional>
#include <utility>

#include "web/log.h"
#include "web/metrics.h"

namespace watchdog {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

constexpr milliseconds longest_pause{60'000};

// "Retry-After: 30", in seconds; dates are not supported.
std::optional<milliseconds> asked_pause(const web::FetchResponse& answer) {
  const auto text = answer.header("retry-after");
  unsigned seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return std::chrono::seconds(seconds);
}

bool is_success(int status) { return status >= 200 && status < 300; }
bool may_pass(int status) { return status == 408 || status == 429 || status >= 500; }

}  // namespace

struct Channel::Impl {
  Impl(ChannelOptions chosen, MakeRequest make, asio::io_context& context)
      : options(std::move(chosen)),
        make_request(std::move(make)),
        home(context),
        pause(context.get_executor()),
        idle(context.get_executor(), web::Timer::time_point::max()) {}

  static web::Task<> send_waiting(std::shared_ptr<Impl> self) {
    while (!self->waiting.empty()) {
      const auto text = std::move(self->waiting.front());
      self->waiting.pop_front();
      const bool is_sent = co_await self->deliver(text);
      self->count(is_sent ? "sent" : "failed");
      if (!is_sent && self->is_stopping) self->waiting.clear();  // the others would fail, too
    }
  }

  web::Task<bool> deliver(std::string text) {
    auto next_pause = options.first_pause;
    for (unsigned tries = 1;; ++tries) {
      const bool is_last = is_stopping || tries >= options.tries;
      auto request = make_request(text);
      const auto answer = co_await web::fetch(std::move(request));
      if (answer && is_success(answer->status)) co_return true;
      const auto reason = answer ? "it answers " + std::to_string(answer->status) : kind_of(answer.error());
      if (is_last || (answer && !may_pass(answer->status))) {
        web::log::warning("notification_not_sent", {{"channel", options.name}, {"reason", reason}});
        co_return false;
      }
      const auto asked = answer ? asked_pause(*answer) : std::nullopt;
      co_await rest(std::min(std::max(next_pause, asked.value_or(next_pause)), longest_pause));
      next_pause *= 2;
    }
  }

  // The error's message may contain the address, which is secret.
  static std::string kind_of(const web::Error& error) {
    return error.kind == web::Kind::timeout ? "it does not answer in time" : "it cannot be reached";
  }

  web::Task<> rest(milliseconds time) {
    if (is_stopping) co_return;
    pause.expires_after(time);
    boost::system::error_code cut_short;
    co_await pause.async_wait(asio::redirect_error(web::use_task, cut_short));
  }

  void count(const char* outcome) const {
    web::metrics()
        .counter("agentbox_notifications_total", "Messages to people, by channel and how that went.",
                 {{"channel", options.name}, {"outcome", outcome}})
        .add();
  }

  const ChannelOptions options;
  const MakeRequest make_request;
  asio::io_context& home;
  // Used on `home` only.
  std::deque<std::string> waiting;
  bool is_sending = false, is_stopping = false;
  web::Timer pause;  // before the next try
  web::Timer idle;   // cancelled when nothing waits
};

Channel::Channel(ChannelOptions options, MakeRequest make_request, asio::io_context& home)
    : impl_(std::make_shared<Impl>(std::move(options), std::move(make_request), home)) {}

Channel::~Channel() = default;

void Channel::send(std::string text) {
  auto& waiting = impl_->waiting;
  if (waiting.size() >= impl_->options.max_waiting) {
    waiting.pop_front();
    impl_->count("dropped");
  }
  waiting.push_back(std::move(text));
  if (std::exchange(impl_->is_sending, true)) return;
  asio::co_spawn(impl_->home, Impl::send_waiting(impl_), [impl = impl_](std::exception_ptr failure) {
    impl->is_sending = false;
    impl->idle.cancel();
    if (failure) std::rethrow_exception(failure);
  });
}

web::Task<> Channel::stop() {
  const auto impl = impl_;
  impl->is_stopping = true;
  impl->pause.cancel();
  while (impl->is_sending) {
    boost::system::error_code woken;
    co_await impl->idle.async_wait(asio::redirect_error(web::use_task, woken));
  }
}

}  // namespace watchdog
