#include "appliance/hosting/mcp_servers/stdio_transport.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/json.hpp>
#include <map>

#include "appliance/hosting/mcp_servers/wire.h"
#include "web/json.h"
#include "web/run_on.h"
#include "web/utf8.h"

namespace mcp_servers {

namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using web::Result;
using web::Task;

constexpr std::size_t max_calls = 32, max_server_requests = 16, max_log_line = 2'000, max_log_lines = 300;
constexpr std::chrono::seconds log_interval{60}, first_pause{1}, longest_pause{60}, sound_after{60};

// A request that waits for its answer.
struct Waiter {
  Waiter(const web::Executor& executor, const AskOwner& asks, Clock::time_point until)
      : ask(asks), deadline(until), changed(executor, Clock::time_point::max()) {}
  const AskOwner ask;
  Clock::time_point deadline;
  std::size_t questions = 0;  // that wait for the owner
  std::optional<json::object> answer;
  bool is_over = false;
  web::Timer changed;
};
using WaiterPtr = std::shared_ptr<Waiter>;

// Used on `home` only.
struct State : std::enable_shared_from_this<State> {
  State(ServerConfig given, TransportLimits of, ProgramHost on, asio::io_context& context, Notified tell)
      : config(std::move(given)),
        limits(of),
        host(std::move(on)),
        home(context),
        notified(std::move(tell)),
        started(context.get_executor(), Clock::time_point::max()) {}

  const ServerConfig config;
  const TransportLimits limits;
  const ProgramHost host;
  asio::io_context& home;
  const Notified notified;
  std::string program;       // that runs; empty: none does
  std::uint64_t starts = 0;  // the session is their number
  bool is_starting = false, is_closed = false;
  web::Timer started;
  std::map<std::int64_t, WaiterPtr> waiting;
  std::size_t requests = 0;  // of the server, being answered
  std::string output, error;
  Clock::time_point began{}, not_before{};
  std::size_t failures = 0;  // in a row
  std::string why_ended, last_error;
  Clock::time_point logging_since{};
  std::size_t logged = 0;

  web::Error failure(std::string_view why) const { return server_failure(config.name, why); }
  std::string session() const { return std::to_string(starts); }
  bool is_running_as(const std::string& which) const { return !program.empty() && which == session(); }

  void log(std::string_view line) {
    const auto now = Clock::now();
    if (now - logging_since > log_interval) {
      if (logged > max_log_lines)
        host.log("(" + std::to_string(logged - max_log_lines) + " more lines of the server were left out)");
      logging_since = now;
      logged = 0;
    }
    if (++logged <= max_log_lines) host.log(web::utf8_prefix(line, max_log_line));
  }

  // Takes whole lines out of `text`. Those that are too long are cut if `is_cut`, else the result is false.
  template <class Take>
  static bool take_lines(std::string& text, std::size_t longest, bool is_cut, Take take) {
    std::size_t begin = 0;
    for (auto end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
      auto line = std::string_view(text).substr(begin, end - begin);
      if (line.ends_with('\r')) line.remove_suffix(1);
      begin = end + 1;
      if (line.size() > longest && !is_cut) return false;
      if (!line.empty()) take(line);
    }
    text.erase(0, begin);
    if (text.size() <= longest) return true;
    if (is_cut) text.resize(longest);
    return is_cut;
  }

  void take_output(std::string_view bytes) {
    output += bytes;
    const bool fits = take_lines(output, limits.max_answer_bytes, false, [this](std::string_view line) { take(line); });
    if (fits) return;
    output.clear();
    end("It wrote a message of more than " + std::to_string(limits.max_answer_bytes >> 20) + " MB.");
  }
  void take_error(std::string_view bytes) {
    error += bytes;
    take_lines(error, max_log_line, true, [this](std::string_view line) {
      last_error = web::utf8_prefix(line, max_log_line);
      log(line);
    });
  }

  void take(std::string_view line) {
    auto value = web::parse_json(line, "message");
    if (!value) return log("not JSON on standard output: " + std::string(line));
    if (auto* message = value->if_object()) return take(std::move(*message));
    if (auto* batch = value->if_array())
      for (auto& part : *batch)
        if (auto* message = part.if_object()) take(std::move(*message));
  }
  void take(json::object message) {
    if (is_request(message)) return serve(std::move(message));
    if (message.contains("method")) return notified(web::string_member(message, "method"));
    const auto* id = message.if_contains("id");
    const auto found = id && id->is_int64() ? waiting.find(id->get_int64()) : waiting.end();
    if (found == waiting.end() || found->second->answer) return;
    found->second->answer = std::move(message);
    found->second->changed.cancel();
  }

  // The request of a call that is under way: the newest that can ask, since the protocol does not say which.
  void serve(json::object request) {
    if (requests >= max_server_requests) return;
    const auto newest =
        std::find_if(waiting.rbegin(), waiting.rend(), [](const auto& one) { return !!one.second->ask; });
    const auto waiter = newest == waiting.rend() ? nullptr : newest->second;
    ++requests;
    asio::co_spawn(home, reply(shared_from_this(), std::move(request), waiter, session()), asio::detached);
  }
  static Task<> reply(std::shared_ptr<State> self, json::object request, WaiterPtr waiter, std::string which) {
    const auto ask = waiter ? waiter->ask : AskOwner();
    const auto before = Clock::now();
    if (waiter) ++waiter->questions;
    auto answer = co_await answer_to_server(std::move(request), ask);
    if (waiter) {
      --waiter->questions;
      waiter->deadline += Clock::now() - before;
      waiter->changed.cancel();
    }
    --self->requests;
    if (self->is_running_as(which)) self->send(answer);
  }

  bool send(const json::object& message) { return host.programs.send(program, json::serialize(message) + "\n"); }

  void end(std::string why) {
    if (program.empty()) return;
    why_ended = std::move(why);
    host.programs.end(program);
  }

  void ended(std::optional<int> exit_code, const std::string& because) {
    program.clear();
    output.clear();
    if (!error.empty()) take_error("\n");
    if (why_ended.empty()) why_ended = because;
    if (why_ended.empty()) {
      why_ended = exit_code ? "Its exit code is " + std::to_string(*exit_code) + "." : "Its exit code is not known.";
      if (!last_error.empty()) why_ended += " Its last line: " + last_error;
    }
    if (Clock::now() - began > sound_after) failures = 0;
    note_failure();
    if (!is_closed) log("the server has ended: " + why_ended);
    for (const auto& [id, waiter] : waiting) {
      waiter->is_over = true;
      waiter->changed.cancel();
    }
  }

  // The first time it is started again at once.
  void note_failure() {
    if (++failures == 1) return;
    const auto doublings = std::min<std::size_t>(failures - 2, 6);
    not_before = Clock::now() + std::min<Clock::duration>(first_pause * (1 << doublings), longest_pause);
  }

  commands::Order order(std::vector<std::string> arguments) const {
    commands::Order order;
    order.arguments = std::move(arguments);
    order.environment = config.environment;
    order.is_attended = false;
    return order;
  }

  commands::Follower follower() {
    const std::weak_ptr<State> weak = weak_from_this();
    const auto with = [weak](auto work) {
      return [weak, work](auto&&... values) {
        if (const auto self = weak.lock()) work(*self, values...);
      };
    };
    return {.output = with([](State& self, std::string_view bytes) { self.take_output(bytes); }),
            .error = with([](State& self, std::string_view bytes) { self.take_error(bytes); }),
            .ended = with([](State& self, std::optional<int> exit_code, const std::string& because) {
              self.ended(exit_code, because);
            })};
  }

  Task<Result<void>> ensure_started(Clock::time_point deadline) {
    while (is_starting && Clock::now() < deadline) {
      boost::system::error_code woken;
      started.expires_at(deadline);
      co_await started.async_wait(asio::redirect_error(web::use_task, woken));
    }
    if (is_starting) co_return failure("did not start in time.");
    if (is_closed) co_return failure("is not used any more.");
    if (!program.empty()) co_return Result<void>();
    const auto now = Clock::now();
    if (now < not_before) {
      const auto seconds = std::chrono::ceil<std::chrono::seconds>(not_before - now).count();
      co_return failure("has ended and is started again in " + std::to_string(seconds) + " s. " + why_ended);
    }
    auto command = host.command_line();
    if (!command) co_return failure("is not started: " + command.error().message);
    is_starting = true;
    ++starts;
    began = now;
    why_ended.clear();
    last_error.clear();
    auto starting = order(std::move(*command));
    auto following = follower();
    auto served = co_await host.programs.serve(host.agent, std::move(starting), std::move(following));
    is_starting = false;
    started.cancel();
    if (!served) {
      why_ended = served.error().message;
      note_failure();
      auto refused = failure("is not started: " + served.error().message);
      refused.kind = served.error().kind;
      co_return refused;
    }
    program = std::move(*served);
    if (is_closed) end({});
    co_return Result<void>();
  }

  Task<Result<Outcome>> exchange(Form form, Call call, std::int64_t id, Clock::time_point deadline,
                                 bool is_notification) {
    if (!form.session.empty() && !is_running_as(form.session)) co_return Outcome{.status = 404};
    if (form.session.empty())
      if (const auto ready = co_await ensure_started(deadline); !ready) co_return ready.error();
    if (waiting.size() >= max_calls)
      co_return web::Error{.kind = web::Kind::too_many,
                           .message = "Too many calls wait for the MCP server " + config.name + "."};
    const auto message = message_of(form, call, id, is_notification);
    if (is_notification) {
      send(message);
      co_return Outcome{.status = 202, .session = session()};
    }
    const auto waiter = std::make_shared<Waiter>(home.get_executor(), call.ask, deadline);
    waiting[id] = waiter;
    const std::shared_ptr<void> leaves(nullptr, [self = shared_from_this(), id](void*) { self->waiting.erase(id); });
    if (!send(message)) co_return failure("does not read what it is sent.");
    while (!waiter->answer && !waiter->is_over) {
      if (waiter->questions == 0 && Clock::now() >= waiter->deadline) {
        send({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", id}}}});
        auto late = failure("did not answer in time.");
        late.kind = web::Kind::timeout;
        co_return late;
      }
      boost::system::error_code woken;
      waiter->changed.expires_at(waiter->questions > 0 ? Clock::time_point::max() : waiter->deadline);
      co_await waiter->changed.async_wait(asio::redirect_error(web::use_task, woken));
    }
    if (!waiter->answer) co_return failure("has ended. " + why_ended);
    Outcome outcome{.status = 200, .session = session()};
    read_answer(*waiter->answer, outcome);
    co_return outcome;
  }
};

class StdioTransport : public Transport {
 public:
  explicit StdioTransport(std::shared_ptr<State> state) : state_(std::move(state)) {}
  ~StdioTransport() override {
    asio::post(state_->home, [state = state_] {
      state->is_closed = true;
      state->end("It is not used any more.");
    });
  }
  StdioTransport(const StdioTransport&) = delete;
  StdioTransport& operator=(const StdioTransport&) = delete;

  bool prefers_sessions() const override { return true; }
  Task<Result<Outcome>> exchange(const Form& form, const Call& call, std::int64_t id, Clock::time_point deadline,
                                 bool is_notification) override {
    co_return co_await web::run_on(state_->home, state_->exchange(form, call, id, deadline, is_notification));
  }

 private:
  const std::shared_ptr<State> state_;
};

}  // namespace

std::unique_ptr<Transport> stdio_transport(ServerConfig config, TransportLimits limits, ProgramHost host,
                                           asio::io_context& home, Notified notified) {
  return std::make_unique<StdioTransport>(
      std::make_shared<State>(std::move(config), limits, std::move(host), home, std::move(notified)));
}

}  // namespace mcp_servers
