#include "appliance/hosting/egress_proxy/proxy.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <map>
#include <mutex>
#include <set>

#include "appliance/foundation/crypto/base64.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/hosting/credentials/binding.h"
#include "appliance/hosting/egress_proxy/exchange.h"
#include "appliance/hosting/plan_egress/plan_egress.h"
#include "web/ascii.h"
#include "web/log.h"
#include "web/routes/reply.h"
#include "web/server/listening_socket.h"

namespace egress_proxy {

namespace {

namespace asio = boost::asio;
using web::Result;
using web::Task;
using Clock = std::chrono::steady_clock;

constexpr std::size_t max_connections = 64;  // of a command, or of a container
constexpr std::size_t max_shared_connections = 2'000;
constexpr std::chrono::seconds idle_time{120}, head_time{20};
constexpr std::chrono::days authority_lifetime{3'650}, certificate_lifetime{90}, certificate_renewal{30};
constexpr std::size_t max_certificates = 500;

// Server certificates for the hosts whose connections are opened. Thread-safe.
class Certificates {
 public:
  explicit Certificates(crypto::CertifiedKey authority) : authority_(std::move(authority)) {}

  const std::string& authority() const { return authority_.certificate; }
  std::shared_ptr<asio::ssl::context> context_for(const std::string& host) {
    const std::lock_guard lock(mutex_);
    auto& known = contexts_[host];
    if (known.context && Clock::now() - known.made_at < certificate_renewal) return known.context;
    if (contexts_.size() > max_certificates) contexts_.clear();
    const auto made = crypto::make_server_certificate(authority_, {host}, certificate_lifetime);
    auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
    context->use_certificate_chain(asio::buffer(made.certificate));
    context->use_private_key(asio::buffer(made.key), asio::ssl::context::pem);
    contexts_[host] = {.context = context, .made_at = Clock::now()};
    return context;
  }

 private:
  struct Known {
    std::shared_ptr<asio::ssl::context> context;
    Clock::time_point made_at{};
  };
  const crypto::CertifiedKey authority_;
  std::mutex mutex_;
  std::map<std::string, Known> contexts_;
};

std::string refusal(const web::Error& error) {
  const auto body = boost::json::serialize(boost::json::object{{"error", error.message}});
  return "HTTP/1.1 " + std::to_string(web::http_status(error.kind)) +
         " Refused\r\nContent-Type: application/json\r\nConnection: "
         "close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

constexpr std::string_view challenge =
    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"agentbox\"\r\n"
    "Connection: close\r\nContent-Length: 0\r\n\r\n";

// The user and the password of basic authentication; nothing if the head has none, or several.
std::optional<std::pair<std::string, std::string>> proxy_sign_in(std::string_view head) {
  std::string_view given;
  auto lines = web::field_lines(head);
  for (auto field = web::next_field(lines); !field.name.empty(); field = web::next_field(lines)) {
    if (!web::equal_ignoring_case(field.name, "proxy-authorization")) continue;
    if (!given.empty()) return std::nullopt;
    given = field.value;
  }
  constexpr std::string_view scheme = "Basic ";
  if (!web::starts_ignoring_case(given, scheme)) return std::nullopt;
  const auto pair = crypto::from_base64(web::trim(given.substr(scheme.size())));
  const auto colon = pair ? pair->find(':') : std::string::npos;
  if (colon == std::string::npos) return std::nullopt;
  return std::pair(pair->substr(0, colon), pair->substr(colon + 1));
}

}  // namespace

struct Proxy::State : std::enable_shared_from_this<State> {
  State(store::System given_system, const agents::AgentDirectory& directory, credentials::Credentials* given,
        web::IoPool& given_pool, Options given_options)
      : system(std::move(given_system)),
        agents(directory),
        credentials(given),
        pool(given_pool),
        options(std::move(given_options)) {}

  struct Listener;
  struct Connection;

  const store::System system;
  const agents::AgentDirectory& agents;
  credentials::Credentials* const credentials;
  web::IoPool& pool;
  const Options options;
  std::function<void(const std::string&)> used;
  std::optional<Certificates> made;
  std::once_flag making;
  std::mutex mutex;  // protects what follows
  std::size_t working = 0;
  bool is_stopping = false;
  std::set<std::shared_ptr<Listener>> listeners;

  // Made when the first command starts: an authority takes a key.
  Certificates& certificates() {
    std::call_once(making, [this] {
      made.emplace(options.authority ? *options.authority
                                     : crypto::make_authority("agentbox commands", authority_lifetime));
    });
    return *made;
  }
  // Whether the agent's config and plan admit the host, as they are now.
  Result<void> admit(const agents::Agent& agent, const std::string& host) const {
    const auto egress = plan_egress::egress_of(system, agent);
    const agents::Egress wanted{.kind = agents::Egress::Kind::list, .hosts = {host}};
    if (egress.kind != agents::Egress::Kind::none && agents::covers(egress, wanted)) return {};
    return web::forbidden("The agent's egress does not admit " + host + ".");
  }
  // The agent whose program sends this head to a listener of all agents.
  std::string agent_of(std::string_view head) const {
    const auto sign_in = proxy_sign_in(head);
    const auto found = sign_in ? agents.find(sign_in->first) : std::nullopt;
    if (!found || found->desired != agents::desired::running) return {};
    return crypto::constant_time_equal(sign_in->second, options.password_of(*found)) ? found->id : std::string();
  }
  void begin() {
    const std::lock_guard lock(mutex);
    ++working;
  }
  void end() {
    const std::lock_guard lock(mutex);
    --working;
  }
};

// One client and where it leads. Used on one io thread.
struct Proxy::State::Connection : std::enable_shared_from_this<Connection> {
  Connection(std::shared_ptr<State> given, std::string of_agent, Socket socket)
      : state(std::move(given)),
        agent(std::move(of_agent)),
        client(std::move(socket)),
        timer(client.socket().get_executor()) {
    ErrorCode gone;
    from = client.socket().remote_endpoint(gone).address();
  }

  const std::shared_ptr<State> state;
  std::string agent;  // empty: not known yet
  Leg client;
  asio::ip::address from;
  bool has_asked = false;
  web::Outbound::Passage passage;
  web::Timer timer;
  std::int64_t seen = -1;
  std::weak_ptr<Leg> server;  // the one that is used now

  void close() {
    client.close();
    if (const auto other = server.lock()) other->close();
    timer.cancel();
  }

  // Closes what has been silent for too long.
  Task<> watch() {
    const auto self = shared_from_this();
    while (client.socket().is_open()) {
      ErrorCode woken;
      timer.expires_after(has_asked ? idle_time : head_time);
      co_await timer.async_wait(asio::redirect_error(web::use_task, woken));
      const auto bytes = client.bytes_read + client.bytes_written;
      if (bytes == seen || !has_asked) close();
      seen = bytes;
    }
  }

  Task<> run() {
    const auto self = shared_from_this();
    constexpr std::size_t longest_head = 64 * 1024;
    while (client.input.view().find("\r\n\r\n") == std::string_view::npos)
      if (client.input.view().size() > longest_head || co_await client.read_more()) co_return close();
    has_asked = true;
    if (agent.empty()) agent = state->agent_of(client.input.view());
    if (agent.empty()) {
      [[maybe_unused]] const auto failed = co_await client.write(challenge);
      co_return close();
    }
    const auto record = state->agents.find(agent);
    if (!record) co_return close();
    if (state->used) state->used(agent);
    const auto view = client.input.view();
    if (view.starts_with("CONNECT "))
      co_await connect(*record);
    else
      co_await relay_named(*record);
    close();
  }

  web::CallOrigin origin(const agents::Agent& record) const {
    return {.part = state->options.part, .user = record.owner, .agent = record.id};
  }

  Task<> connect(const agents::Agent& record) {
    const std::string head(client.input.view().substr(0, client.input.view().find("\r\n\r\n") + 4));
    client.input.consume(head.size());
    const auto rest = std::string_view(head).substr(8);
    const auto to = destination_of(rest.substr(0, rest.find(' ')), "https");
    if (!to) {
      [[maybe_unused]] const auto failed = co_await client.write(refusal(web::invalid("CONNECT must name host:port.")));
      co_return;
    }
    if (const auto admitted = state->admit(record, to->host); !admitted) {
      [[maybe_unused]] const auto failed = co_await client.write(refusal(admitted.error()));
      co_return;
    }
    const auto known = state->credentials ? state->credentials->of_agent(record.owner, record.id)
                                          : std::vector<credentials::Credential>();
    const bool is_bound = std::ranges::any_of(known, [&to](const credentials::Credential& one) {
      return one.scheme == "https" && credentials::is_bound_to_host(one, to->host);
    });
    if (is_bound) {
      auto destination = *to;
      co_return co_await open(record, std::move(destination));
    }
    auto caller = origin(record);
    auto destination = *to;
    auto dialled = co_await dial(std::move(caller), std::move(destination), state->options.may_be_private);
    if (!dialled) {
      [[maybe_unused]] const auto failed = co_await client.write(refusal(dialled.error()));
      co_return;
    }
    co_await tunnel(std::move(*dialled));
  }

  // Bytes both ways, unseen.
  Task<> tunnel(Dialled dialled) {
    using namespace asio::experimental::awaitable_operators;
    const auto other = std::make_shared<Leg>(std::move(dialled.socket));
    server = other;
    if (!co_await client.write("HTTP/1.1 200 Connection established\r\n\r\n"))
      co_await (pump(client, *other) && pump(*other, client));
    dialled.passage.add_bytes(other->bytes_written, other->bytes_read);
  }

  static Task<> pump(Leg& from, Leg& to) {
    ErrorCode failed;
    while (!failed) {
      const auto held = from.input.view();
      if (!held.empty()) failed = co_await to.write(held);
      from.input.consume(held.size());
      if (!failed) failed = co_await from.read_more();
    }
    to.finish();
  }

  // With our own certificate: the agent has a credential for this host.
  Task<> open(const agents::Agent& record, Destination to) {
    if (co_await client.write("HTTP/1.1 200 Connection established\r\n\r\n")) co_return;
    const auto context = state->certificates().context_for(to.host);
    if (co_await client.accept_tls(*context)) co_return;
    std::optional<Destination> only = std::move(to);
    co_await relay(record, std::move(only));
  }

  // Each request names where it goes.
  Task<> relay_named(const agents::Agent& record) {
    std::optional<Destination> any;
    co_await relay(record, std::move(any));
  }

  Task<> relay(const agents::Agent& record, std::optional<Destination> only) {
    std::vector<std::unique_ptr<web::Outbound::Passage>> passages;
    std::vector<std::shared_ptr<asio::ssl::context>> contexts;
    const auto self = shared_from_this();
    Exchange::Open way = [self, record, &passages, &contexts](Destination to) -> Task<Result<std::shared_ptr<Leg>>> {
      if (const auto admitted = self->state->admit(record, to.host); !admitted) co_return admitted.error();
      auto origin = self->origin(record);
      auto destination = to;
      auto dialled = co_await dial(std::move(origin), std::move(destination), self->state->options.may_be_private);
      if (!dialled) co_return dialled.error();
      if (!self->client.socket().is_open()) co_return web::bad_gateway("The client is gone.");
      auto leg = std::make_shared<Leg>(std::move(dialled->socket));
      self->server = leg;  // a server that says nothing must not keep this alive
      passages.push_back(std::make_unique<web::Outbound::Passage>(std::move(dialled->passage)));
      if (to.scheme == "https") {
        contexts.push_back(client_context(to));
        if (const auto failed = co_await leg->start_tls(*contexts.back(), to.host))
          co_return web::bad_gateway("No secure connection to " + to.host + ": " + failed.message() + ".");
      }
      co_return leg;
    };
    Exchange exchange(client, {.owner = record.owner, .agent = record.id}, state->credentials, std::move(way));
    co_await exchange.run(std::move(only));
    if (!passages.empty()) passages.back()->add_bytes(client.bytes_read, client.bytes_written);
  }
};

struct Proxy::State::Listener : std::enable_shared_from_this<Listener> {
  Listener(std::shared_ptr<State> given, commands::Network network)
      : state(std::move(given)),
        agent(std::move(network.agent)),
        listening(std::move(network.listening)),
        context(state->pool.next()),
        acceptor(web::borrow_acceptor(listening.get(), context)) {}

  const std::shared_ptr<State> state;
  const std::string agent;
  const files::Descriptor listening;
  asio::io_context& context;
  web::Acceptor acceptor;
  std::set<std::shared_ptr<Connection>> connections;  // used on `context`

  void close() {
    asio::post(context, [self = shared_from_this()] {
      ErrorCode ignored;
      self->acceptor.close(ignored);
      for (const auto& one : self->connections) one->close();
    });
  }

  // A container that is of no agent, or of one that floods the proxy, must leave room for others.
  bool is_full(const Socket& next) const {
    if (!agent.empty()) return connections.size() >= max_connections;
    ErrorCode gone;
    const auto from = next.remote_endpoint(gone).address();
    const auto of_it = std::ranges::count_if(connections, [&from](const auto& one) { return one->from == from; });
    return connections.size() >= max_shared_connections || std::size_t(of_it) >= max_connections;
  }

  Task<> accept() {
    const auto self = shared_from_this();
    for (;;) {
      ErrorCode failed;
      Socket socket(context.get_executor());
      co_await acceptor.async_accept(socket, asio::redirect_error(web::use_task, failed));
      if (!acceptor.is_open() || failed == asio::error::operation_aborted) co_return;
      if (failed || is_full(socket)) continue;
      auto connection = std::make_shared<Connection>(state, agent, std::move(socket));
      connections.insert(connection);
      state->begin();
      asio::co_spawn(context, connection->run(), [self, connection](std::exception_ptr failure) {
        if (failure) web::log::info("command_connection_failed", {{"agent", self->agent}});
        connection->close();
        self->connections.erase(connection);
        self->state->end();
      });
      state->begin();
      asio::co_spawn(context, connection->watch(), [self, connection](std::exception_ptr) { self->state->end(); });
    }
  }
};

Proxy::Proxy(store::System system, const agents::AgentDirectory& agents, credentials::Credentials* credentials,
             web::IoPool& pool, Options options)
    : state_(std::make_shared<State>(std::move(system), agents, credentials, pool, std::move(options))) {}

Proxy::~Proxy() = default;

void Proxy::when_used(std::function<void(const std::string& agent)> used) { state_->used = std::move(used); }

const std::string& Proxy::authority() const { return state_->certificates().authority(); }

std::shared_ptr<void> Proxy::serve(commands::Network network) {
  if (network.agent.empty()) return nullptr;
  return serve_on(std::move(network));
}

std::shared_ptr<void> Proxy::serve_all(files::Descriptor listening) {
  return serve_on({.agent = {}, .command = {}, .listening = std::move(listening)});
}

std::shared_ptr<void> Proxy::serve_on(commands::Network network) {
  if (!network.listening) return nullptr;
  auto listener = std::make_shared<State::Listener>(state_, std::move(network));
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->is_stopping) return nullptr;
    state_->listeners.insert(listener);
    ++state_->working;
  }
  asio::co_spawn(listener->context, listener->accept(), [state = state_, listener](std::exception_ptr) {
    const std::lock_guard lock(state->mutex);
    state->listeners.erase(listener);
    --state->working;
  });
  return std::shared_ptr<void>(nullptr, [listener](void*) { listener->close(); });
}

web::Task<> Proxy::stop() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_stopping = true;
    for (const auto& listener : state_->listeners) listener->close();
  }
  const auto is_busy = [this] {
    const std::lock_guard lock(state_->mutex);
    return state_->working > 0;
  };
  while (is_busy()) co_await web::sleep_for(std::chrono::milliseconds(10));
}

}  // namespace egress_proxy
