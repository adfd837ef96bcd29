#include "appliance/demo/history_seeder.h"

#include <array>
#include <fstream>
#include <iterator>
#include <thread>

#include "appliance/demo/fake_clock.h"
#include "web/routes/reply.h"

namespace demo {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::sys_days;

constexpr auto daily_report = 8h;  // of the scheduled task, UTC
constexpr auto working_hours = 10h;
constexpr auto patience = 60s;
constexpr auto neighbours_email = "noor@demo.example";
constexpr std::chrono::days days_until_regatta{60};

// Asks until `probe` is true.
template <class Probe>
void wait_until(const std::string& what, Probe probe) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!probe()) {
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error(what + " did not happen");
    std::this_thread::sleep_for(50ms);
  }
}

json::value json_file(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file.string() + " cannot be read");
  return json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
}

class HistorySeeder {
 public:
  explicit HistorySeeder(const HistoryOptions& options)
      : options_(options),
        backend_(backend_of(options.box)),
        admin_(options.box),
        user_(options.box),
        neighbour_(options.box) {}

  void begin();
  std::string make_account(const Account&, const char* name);
  void live(sys_days day, int number);
  void end();

 private:
  struct Agent {
    std::string id, name, box_token;
  };

  Agent hire(const std::string& name, json::object config);
  AgentProgram program_of(const Agent&) const;
  void converse(const Agent&, const std::string& message) const;
  void wait_for_report(const std::string& before) const;
  std::string last_report() const;
  void pay(int number) const;
  void book_tickets(sys_days day) const;
  void swarm() const;

  const HistoryOptions& options_;
  const Api backend_;
  Person admin_, user_, neighbour_;
  Agent scout_, clerk_, concierge_;
  std::string user_id_, task_, neighbours_wallet_, key_;
};

// By registration, or where that is closed by the administrator. Returns the id.
std::string HistorySeeder::make_account(const Account& account, const char* name) {
  const json::object form{{"email", account.email}, {"password", account.password}, {"name", name}};
  return text_at(options_.can_register ? user_.call("POST", "/api/register", form)
                                       : backend_.call("POST", "/api/admin/users", form),
                 "/id");
}

// The first morning: accounts, agents, and what they are given to work with.
void HistorySeeder::begin() {
  const Account neighbour{.email = neighbours_email, .password = options_.user.password};
  for (const auto& [account, name] : {std::pair(options_.user, "Mara"), std::pair(neighbour, "Noor")}) {
    const auto id = make_account(account, name);
    backend_.call("POST", "/api/subscriptions/deploy", json::object{{"userId", id}, {"plan", "network"}});
    if (user_id_.empty()) user_id_ = id;
  }
  admin_.sign_in(options_.admin.email, options_.admin.password);
  user_.sign_in(options_.user.email, options_.user.password);
  neighbour_.sign_in(neighbour.email, neighbour.password);

  scout_ = hire("Scout", {{"role", "orchestrator"}});
  clerk_ = hire("Clerk", {{"bus", json::object{{"accept", "all"}}}});
  concierge_ = hire("Concierge", {{"bus", json::object{{"accept", "all"}}}});
  const auto task = user_.call("POST", "/api/scheduled-tasks",
                               json::object{{"name", "Tides every morning"},
                                            {"cronSchedule", "0 8 * * *"},
                                            {"prompt", "summarize " + options_.outside + "/tides"},
                                            {"agentId", scout_.id}});
  boost::system::error_code absent;
  const auto* nested = task.find_pointer("/task/id", absent);
  task_ = nested ? std::string(nested->as_string()) : text_at(task, "/id");

  for (const auto& [name, kind, path, description] :
       {std::array<const char*, 4>{"news", "rss", "/news.rss", "News of Port Ellis"},
        std::array<const char*, 4>{"prices", "json", "/prices.json", "Prices of the market"}})
    backend_.call("PUT", "/api/admin/data-feeds/" + std::string(name),
                  json::object{{"kind", kind}, {"url", options_.outside + path}, {"description", description}});

  user_.call("POST", "/api/wallet", json::object{{"action", "create"}});
  neighbours_wallet_ = text_at(neighbour_.call("POST", "/api/wallet", json::object{{"action", "create"}}), "/address");
  backend_.call("POST", "/api/admin/ledger/credit",
                json::object{{"userId", user_id_}, {"amount", "250"}, {"reference", "welcome"}, {"memo", "Welcome"}});

  key_ = text_at(user_.call("POST", "/api/keys", json::object{{"name", "laptop"}}), "/key");
  user_.call("PUT", "/api/caps",
             json::object{{"scope", "user"}, {"period", "month"}, {"tokens", 5'000'000}, {"whenReached", "refuse"}});
  user_.call("POST", "/api/skills", json::object{{"name", "daily-brief"}, {"agentId", scout_.id}});
  user_.call("PUT", "/api/wallet/rules", json::object{{"dailyUsdc", "50"}});
  backend_.call("POST", "/api/admin/credits",
                json::object{{"userId", user_id_}, {"usd", "5.00"}, {"reason", "Welcome"}});
  backend_.call("POST", "/api/admin/operator-keys",
                json::object{{"name", "monitoring"}, {"scopes", json::array{"read-only"}}, {"expiresInDays", 90}});
  backend_.call("POST", "/api/admin/invites",
                json::object{{"count", 2}, {"note", "for the crew"}, {"expiresInDays", 90}});
  const auto crew = text_at(backend_.call("POST", "/api/admin/groups", json::object{{"name", "Crew"}}), "/id");
  backend_.call("PUT", "/api/admin/groups/" + crew + "/members/" + user_id_);
  user_.call("PUT", "/api/agents/" + scout_.id + "/shares",
             json::object{{"email", options_.admin.email}, {"role", "builder"}});
  user_.call("POST", "/api/agents/" + clerk_.id + "/template",
             json::object{{"name", "Market clerk"},
                          {"description", "Reads the prices of the market, and remembers who pays when."},
                          {"groups", json::array{crew}}});
}

HistorySeeder::Agent HistorySeeder::hire(const std::string& name, json::object config) {
  json::object wanted{{"name", name}, {"tier", "enterprise"}};
  // A month passes within a minute, and the model that answers writes no titles.
  config["maxTokensPerMinute"] = 100'000'000;
  config["titles"] = false;
  wanted["config"] = std::move(config);
  const auto made = user_.call("POST", "/api/agents/provision", wanted);
  Agent agent{.id = text_at(made, "/agent/id"), .name = name, .box_token = {}};
  wait_until("the agent " + name,
             [&] { return text_at(user_.call("GET", "/api/agents/" + agent.id), "/agent/status") == "running"; });
  // The box removes this file half a minute after the start, which on a slow machine is before the token's first use.
  agent.box_token = text_at(json_file(options_.folder / "agents" / agent.id / "run" / "boot.json"), "/box_token");
  return agent;
}

AgentProgram HistorySeeder::program_of(const Agent& agent) const { return {options_.box, agent.id, agent.box_token}; }

void HistorySeeder::converse(const Agent& agent, const std::string& message) const {
  user_.call("POST", "/api/chat", json::object{{"agentId", agent.id}, {"message", message}});
}

std::string HistorySeeder::last_report() const {
  const auto runs = user_.call("GET", "/api/scheduled-tasks/" + task_ + "/runs");
  const auto& list = runs.at("runs").as_array();
  if (list.empty() || text_at(list.front(), "/outcome") == "running") return {};
  return text_at(list.front(), "/id");
}

void HistorySeeder::wait_for_report(const std::string& before) const {
  wait_until("the scheduled report", [&] {
    const auto last = last_report();
    return !last.empty() && last != before;
  });
}

void HistorySeeder::live(sys_days day, int number) {
  const auto before = last_report();
  set_fake_clock(day + daily_report - 300ms);
  wait_for_report(before);

  set_fake_clock(day + working_hours);
  user_.sign_in(options_.user.email, options_.user.password);
  const std::array<std::string, 4> errands{
      "summarize " + options_.outside + "/harbour", "remember that boat " + std::to_string(number) + " pays on Friday",
      "summarize " + options_.outside + "/market", "what do you remember of the boats?"};
  converse(scout_, errands[static_cast<std::size_t>(number) % errands.size()]);
  converse(clerk_, errands[static_cast<std::size_t>(number + 1) % errands.size()]);
  const Api laptop(options_.box.backend, {{"Authorization", "Bearer " + key_}});
  json::object question{
      {"messages", {{{"role", "user"}, {"content", "Say in one line what day " + std::to_string(number) + " was."}}}}};
  if (!options_.models.empty()) question["model"] = options_.models[std::size_t(number) % options_.models.size()];
  laptop.call("POST", "/v1/chat/completions", question);
  constexpr int week = 7;
  if (number % week == 0) converse(concierge_, "summarize https://example.org/");  // which EGRESS refuses
  if (number % week == 1) pay(number);
  if (number == 1) book_tickets(day);
  if (number % week == 2) swarm();
}

void HistorySeeder::pay(int number) const {
  user_.call("POST", "/api/wallet/transfer",
             json::object{{"to", neighbours_wallet_},
                          {"amount", "12.50"},
                          {"memo", "berth, week " + std::to_string(number / 7 + 1)},
                          {"idempotencyKey", "berth-" + std::to_string(number)}});
}

// A regatta, two tickets for it, agreed on by two agents.
void HistorySeeder::book_tickets(sys_days day) const {
  const auto event = backend_.call("POST", "/api/underground/events",
                                   json::object{{"agentId", clerk_.id},
                                                {"name", "Regatta"},
                                                {"description", "Sixty boats around the mole"},
                                                {"venue", "Port Ellis"},
                                                {"eventDate", web::iso8601(day + days_until_regatta)},
                                                {"ticketPriceUsdc", "25.50"},
                                                {"totalTickets", 40}});
  for (const auto& agent : {clerk_.id, concierge_.id}) {  // their owner lets them agree on bookings
    json::array rules;
    for (const auto* action : {"BOOKING_REQUEST", "BOOKING_OFFER", "BOOKING_ACCEPT", "BOOKING_CONFIRM"})
      rules.push_back(json::object{{"effect", "outward"}, {"decision", "allow"}, {"target", action}});
    user_.call("PUT", "/api/agents/" + agent + "/gate", json::object{{"rules", std::move(rules)}});
  }
  const auto seller = program_of(clerk_), buyer = program_of(concierge_);
  const auto asked = buyer.send("BOOKING_REQUEST", {{"eventId", event.at("id")}, {"tickets", 2}}, clerk_.id);
  const auto& booking = asked.at("booking").at("id");
  seller.send("BOOKING_OFFER", {{"bookingId", booking}, {"priceUsdc", "45.25"}});
  buyer.send("BOOKING_ACCEPT", {{"bookingId", booking}});
  seller.send("BOOKING_CONFIRM", {{"bookingId", booking}});
}

void HistorySeeder::swarm() const {
  const auto made = user_.call("POST", "/api/swarms",
                               json::object{{"goal", "summarize " + options_.outside + "/harbour"},
                                            {"name", "Harbour report"},
                                            {"agents", json::array{json::value(scout_.id), json::value(clerk_.id)}}});
  const auto id = text_at(made, "/id");
  wait_until("the swarm", [&] {
    const auto state = text_at(user_.call("GET", "/api/swarms/" + id), "/state");
    return state == "done" || state == "failed" || state == "stopped";
  });
}

// Today: a payment on the chain, a backup, somebody who asks for a plan, and a mail, which the outbox keeps for a week.
void HistorySeeder::end() {
  remove_fake_clock();
  neighbour_.sign_in(neighbours_email, options_.user.password);
  user_.call("POST", "/api/wallet/cdp", json::object());
  const auto neighbours = text_at(neighbour_.call("POST", "/api/wallet/cdp", json::object()), "/address");
  user_.call("POST", "/api/wallet/transfer",
             json::object{{"to", neighbours}, {"amount", "5"}, {"memo", "rope"}, {"testnet", true}});
  backend_.call("POST", "/api/admin/backups", json::object());
  const Account newcomer{.email = "ivo@demo.example", .password = options_.user.password};
  Person person(options_.box);
  make_account(newcomer, "Ivo");
  person.sign_in(newcomer.email, newcomer.password);
  person.call("POST", "/api/subscriptions/request", json::object{{"plan", "solo"}, {"note", "For my boat."}});
  user_.call("POST", "/api/auth/forgot-password", json::object{{"email", options_.user.email}});
}

}  // namespace

sys_days first_day(int days) {
  return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()) - std::chrono::days(days);
}

void seed_history(const HistoryOptions& options) {
  HistorySeeder seeder(options);
  seeder.begin();
  const auto first = first_day(options.days);
  for (int day = 0; day < options.days; ++day) {
    if (options.progress) options.progress(day + 1, options.days);
    seeder.live(first + std::chrono::days(day), day);
  }
  seeder.end();
}

}  // namespace demo
