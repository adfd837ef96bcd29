#include "appliance/box/standby/follower.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/json.hpp>
#include <charconv>
#include <filesystem>
#include <future>
#include <iostream>

#include "appliance/box/standby/base_folder.h"
#include "appliance/box/standby/connection.h"
#include "appliance/box/standby/folders.h"
#include "appliance/box/standby/timeline.h"
#include "appliance/foundation/crypto/random.h"
#include "store/census.h"
#include "store/replica.h"
#include "web/client/outbound.h"
#include "web/log.h"

namespace standby {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes first_answer_limit{5};
constexpr auto again = 1s;
constexpr auto async_sync_interval = 200ms;
constexpr std::uint64_t max_unsynced_bytes = 4u << 20;

std::string reason_of(const std::exception& error) {
  const auto* system = dynamic_cast<const boost::system::system_error*>(&error);
  return system ? system->code().message() : error.what();
}

// For as long as the connection lasts. Throws std::runtime_error if EGRESS forbids it.
web::Outbound::Passage passage_to(const Address& address) {
  const web::CallOrigin origin{.part = "standby"};
  auto passage = web::outbound().admit(origin, address.host, address.port);
  if (!passage) throw std::runtime_error(passage.error().message);
  return std::move(*passage);
}

web::Task<Connection::Tcp::endpoint> resolve(const Address& address) {
  const auto executor = co_await boost::asio::this_coro::executor;
  boost::asio::ip::basic_resolver<Connection::Tcp, web::Executor> resolver(executor);
  const auto port = std::to_string(address.port);
  const auto found = co_await resolver.async_resolve(address.host, port, web::use_task);
  co_return found.begin()->endpoint();
}

class Follower {
 public:
  Follower(const agentbox::DataFolder& folder, Address address, const Invitation& invitation)
      : folder_(folder), address_(std::move(address)), context_(tls_of_standby(invitation)) {
    timeline_ = read_timeline(folder_).value_or(Timeline());
  }
  ~Follower() { prover_.join(); }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  web::Task<> run();

 private:
  using Socket = Connection::Socket;
  web::Task<> follow_once();
  web::Task<> greet();
  web::Task<> receive_base(std::string first);
  web::Task<> apply_all();
  web::Task<> watch();
  web::Task<> acknowledge(bool now);
  void open_replica();
  void replace_store(const BaseFolder&);
  void take_over(const json::object& welcome);
  void begin_proof(const std::string& request);
  void say_state(store::Position newest);

  const agentbox::DataFolder folder_;
  const Address address_;
  const std::unique_ptr<boost::asio::ssl::context> context_;
  Timeline timeline_;
  std::unique_ptr<Connection> connection_;
  std::shared_ptr<store::Replica> replica_;
  bool is_sync_ = false, is_in_base_ = false, says_following_ = false;
  std::uint64_t unsynced_bytes_ = 0;
  Clock::time_point synced_at_{};
  std::string failure_;  // why this connection ends
  std::string problem_;  // why the last one has ended; said once
  boost::asio::thread_pool prover_{1};
  std::optional<std::future<std::string>> proof_;
};

void Follower::open_replica() {
  replica_.reset();
  if (!fs::exists(folder_.store() / "CURRENT")) return;
  replica_ = store::Replica::open(folder_.store(), [](const std::string& sentence) {
    web::log::warning("store_trouble", {{"reason", sentence}});
  });
}

web::Task<> Follower::run() {
  for (;;) {
    try {
      if (!replica_) open_replica();
      co_await follow_once();
    } catch (const std::exception& error) {
      const auto reason = reason_of(error);
      if (reason != problem_) web::log::warning("standby_not_following", {{"reason", reason}});
      problem_ = reason;
    }
    says_following_ = false;
    connection_.reset();
    proof_.reset();
    // Opened anew: after an error of a write it takes none, and its disk may have room again.
    replica_.reset();
    co_await web::sleep_for(again);
  }
}

web::Task<> Follower::follow_once() {
  using namespace boost::asio::experimental::awaitable_operators;
  const auto executor = co_await boost::asio::this_coro::executor;
  connection_ = std::make_unique<Connection>(Socket(executor), *context_);
  auto guarded = [this](web::Task<> work) -> web::Task<> {
    std::string problem;
    try {
      co_await std::move(work);
    } catch (const std::exception& error) {
      problem = reason_of(error);
    }
    if (!problem.empty() && failure_.empty()) failure_ = problem;
    connection_->close();
  };
  failure_.clear();
  auto talk = [this]() -> web::Task<> {
    const auto passage = passage_to(address_);
    const auto endpoint = co_await resolve(address_);
    co_await connection_->connect(endpoint);
    co_await greet();
    std::string problem;
    try {
      co_await apply_all();
    } catch (const boost::system::system_error&) {
      throw;  // of the connection
    } catch (const std::exception& error) {
      problem = error.what();
    }
    if (problem.empty()) co_return;
    failure_ = problem;
    co_await connection_->send(Kind::problem, problem);
  };
  co_await (guarded(talk()) || guarded(watch()));
  if (!failure_.empty()) throw std::runtime_error(failure_);
}

// A box that says nothing is gone, or cut off.
web::Task<> Follower::watch() {
  for (;;) {
    co_await web::sleep_for(250ms);
    const auto limit = is_in_base_ ? Clock::duration(first_answer_limit) : Clock::duration(silence_limit);
    if (connection_->silence() > limit) throw std::runtime_error("The box is silent.");
  }
}

web::Task<> Follower::greet() {
  is_in_base_ = true;
  json::object families;
  if (replica_)
    for (const auto& [name, id] : replica_->families()) families[name] = id;
  const auto position = replica_ ? replica_->newest() : store::Position{0};
  const json::object hello{{"protocol", 1},
                           {"purpose", "follow"},
                           {"epoch", timeline_.epoch},
                           {"run", timeline_.runs.empty() ? std::string() : timeline_.runs.back().id},
                           {"position", position},
                           {"families", std::move(families)}};
  const auto text = json::serialize(hello);
  co_await connection_->send(Kind::hello, text);
  const auto tree = list_tree(folder_);
  for (const auto& [path, entry] : tree) {
    const auto content = encode(path, entry);
    co_await connection_->send(Kind::listing, content);
  }
  co_await connection_->send(Kind::listing_end, "");
  auto answer = co_await connection_->receive();
  if (answer.kind == Kind::refusal) throw std::runtime_error("The box refuses: " + answer.content);
  if (answer.kind != Kind::welcome) throw std::runtime_error("the box does not speak this protocol");
  const auto welcome = json::parse(answer.content).as_object();
  is_sync_ = welcome.at("mode").as_string() == "sync";
  if (welcome.at("start").as_string() == "log") {
    if (!replica_) throw std::runtime_error("the box does not speak this protocol");
    take_over(welcome);
  } else {
    web::log::info("standby_base", {{"reason", "the box sends a copy of its store"}});
    auto begin = co_await connection_->receive();
    if (begin.kind != Kind::base_begin) throw std::runtime_error("the box does not speak this protocol");
    co_await receive_base(std::move(begin.content));
    take_over(welcome);
    open_replica();
    const auto place = number(replica_->newest());
    co_await connection_->send(Kind::acknowledged, place);
  }
  is_in_base_ = false;
}

// What the store has from here on belongs to the box's newest run.
void Follower::take_over(const json::object& welcome) {
  timeline_.role = "standby";
  timeline_.epoch = welcome.at("epoch").to_number<std::uint64_t>();
  timeline_.of = address_.host + ":" + std::to_string(address_.port);
  timeline_.fenced_by = 0;
  timeline_.runs.clear();
  for (const auto& run : welcome.at("runs").as_array())
    timeline_.runs.push_back({std::string(run.at("id").as_string()), run.at("after").to_number<std::uint64_t>()});
  write_timeline(folder_, timeline_);
}

// The old store is kept until the new one is complete, unless its room is needed.
web::Task<> Follower::receive_base(std::string begin) {
  const auto bytes = json::parse(begin).at("bytes").to_number<std::uint64_t>();
  const auto store = folder_.store();
  if (fs::space(folder_.path()).available < bytes + (64u << 20)) {
    replica_.reset();
    fs::remove_all(store);
    if (fs::space(folder_.path()).available < bytes)
      throw fs::filesystem_error("there is no room for the copy of the store", folder_.path(),
                                 std::make_error_code(std::errc::no_space_on_device));
  }
  BaseFolder base(fs::path(store).concat(".base"));
  for (;;) {
    const auto frame = co_await connection_->receive();
    if (frame.kind == Kind::base_end) break;
    if (frame.kind == Kind::base_file)
      base.begin_file(frame.content);
    else if (frame.kind == Kind::piece)
      base.add_piece(frame.content);
    else
      throw std::runtime_error("the box does not speak this protocol");
  }
  replace_store(base);
}

void Follower::replace_store(const BaseFolder& base) {
  replica_.reset();
  sync_folder(base.path());
  const auto store = folder_.store(), old = fs::path(store).concat(".old");
  fs::remove_all(old);
  if (fs::exists(store)) fs::rename(store, old);
  fs::rename(base.path(), store);
  sync_folder(folder_.path());
  fs::remove_all(old);
}

web::Task<> Follower::acknowledge(bool now) {
  const bool is_due =
      is_sync_ || unsynced_bytes_ > max_unsynced_bytes || Clock::now() - synced_at_ > async_sync_interval;
  if (!now && !is_due) co_return;
  replica_->sync();
  unsynced_bytes_ = 0;
  synced_at_ = Clock::now();
  const auto place = number(replica_->newest());
  co_await connection_->send(Kind::acknowledged, place);
}

void Follower::say_state(store::Position newest) {
  if (says_following_ || replica_->newest() < newest) return;
  says_following_ = true;
  problem_.clear();
  std::cout << json::serialize(json::object{{"event", "following"}, {"position", replica_->newest()}}) << std::endl;
  web::log::info("standby_following", {{"position", static_cast<std::int64_t>(replica_->newest())}});
}

web::Task<> Follower::apply_all() {
  TreeReceiver folders(folder_);
  for (;;) {
    const auto frame = co_await connection_->receive();
    switch (frame.kind) {
      case Kind::write:
        replica_->apply(read_number(frame.content), std::string_view(frame.content).substr(8));
        unsynced_bytes_ += frame.content.size();
        if (!connection_->has_more() || unsynced_bytes_ > max_unsynced_bytes) co_await acknowledge(false);
        break;
      case Kind::beat:
        co_await acknowledge(true);
        say_state(read_number(frame.content));
        break;
      case Kind::prove:
        begin_proof(frame.content);
        break;
      case Kind::removed:
      case Kind::folder:
      case Kind::link:
      case Kind::file:
      case Kind::piece:
      case Kind::tree_end:
        folders.apply(frame);
        break;
      default:
        throw std::runtime_error("the box does not speak this protocol");
    }
    if (!proof_ || proof_->wait_for(0s) != std::future_status::ready) continue;
    const auto proof = proof_->get();
    proof_.reset();
    co_await connection_->send(Kind::proof, proof);
  }
}

// What of a census of the box this store does not have. It may have what was written since.
std::string compare(const store::Replica& replica, const json::object& census) {
  const auto position = census.at("position").to_number<std::uint64_t>();
  std::int64_t records = 0, compared = 0, different = 0;
  std::string problem;
  for (const auto& [name, count] : census.at("counts").as_object()) {
    const auto expected = count.to_number<std::uint64_t>(), found = replica.count(std::string(name));
    records += static_cast<std::int64_t>(found);
    const auto changes = replica.newest() - position;
    if (std::max(found, expected) - std::min(found, expected) <= changes) continue;
    problem = std::string(name) + " has " + std::to_string(found) + " records, and " + std::to_string(expected) +
              " at the box.";
  }
  for (const auto& sample : census.at("samples").as_array()) {
    const auto& parts = sample.as_array();
    const auto text = [&parts](std::size_t at) { return std::string(parts.at(at).as_string()); };
    const auto value = replica.get(text(0), crypto::unhex(text(1)));
    const bool is_equal = value && store::sample_digest(*value) == crypto::unhex(text(2));
    ++(is_equal ? compared : different);
  }
  if (different > static_cast<std::int64_t>(replica.newest() - position))
    problem = std::to_string(different) + " records are not as the box has them.";
  return json::serialize(json::object{{"records", records}, {"compared", compared}, {"problem", problem}});
}

void Follower::begin_proof(const std::string& request) {
  auto task = std::make_shared<std::packaged_task<std::string()>>(
      [replica = replica_, census = json::parse(request).as_object()] { return compare(*replica, census); });
  proof_ = task->get_future();
  boost::asio::post(prover_, [task] { (*task)(); });
}

}  // namespace

Address Address::parse(const std::string& url) {
  auto rest = url.starts_with("https://") ? url.substr(8) : url;
  while (rest.ends_with('/')) rest.pop_back();
  const auto colon = rest.rfind(':');
  auto host = rest.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  std::uint16_t port = 0;
  const auto digits = colon == std::string::npos ? std::string() : rest.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (host.empty() || host.find('/') != std::string::npos || port == 0 || error != std::errc() ||
      end != digits.data() + digits.size())
    throw agentbox::UsageError(
        "\"" + url + "\" is no address of a box: write https://HOST:PORT, with the port of its " + "STANDBY_LISTEN");
  return {std::move(host), port};
}

int follow(const agentbox::DataFolder& folder, const std::string& url, const Invitation& invitation) {
  boost::asio::io_context io(1);
  Follower follower(folder, Address::parse(url), invitation);
  boost::asio::signal_set signals(io, SIGTERM, SIGINT);
  signals.async_wait([&io](const auto&, int) { io.stop(); });
  std::exception_ptr failure;
  boost::asio::co_spawn(io, follower.run(), [&](std::exception_ptr thrown) {
    failure = std::move(thrown);
    io.stop();
  });
  io.run();
  if (failure) std::rethrow_exception(failure);
  return 0;
}

namespace {

// `answer` holds what was found out so far, also if it takes too long.
web::Task<> ask(const std::string& url, boost::asio::ssl::context& context, std::uint64_t epoch, bool fence,
                Answer& answer) {
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto address = Address::parse(url);
  const auto passage = passage_to(address);
  const auto endpoint = co_await resolve(address);
  Connection::Socket probe(executor);
  co_await probe.async_connect(endpoint, web::use_task);
  answer = Answer::alive;  // whatever listens there
  boost::system::error_code ignored;
  probe.close(ignored);
  Connection connection{Connection::Socket(executor), context};
  co_await connection.connect(endpoint);
  const json::object hello{{"protocol", 1}, {"purpose", fence ? "fence" : "promote"}, {"epoch", epoch}};
  const auto text = json::serialize(hello);
  co_await connection.send(Kind::hello, text);
  const auto frame = co_await connection.receive();
  if (frame.kind == Kind::welcome) answer = Answer::fenced;
}

}  // namespace

Answer ask_box(const std::string& url, const Invitation& invitation, std::uint64_t epoch, bool fence,
               std::chrono::milliseconds limit) {
  Address::parse(url);
  const auto context = tls_of_standby(invitation);
  boost::asio::io_context io(1);
  Answer answer = Answer::none;
  boost::asio::co_spawn(io, ask(url, *context, epoch, fence, answer), [&io](std::exception_ptr) { io.stop(); });
  io.run_for(limit);
  return answer;
}

}  // namespace standby
