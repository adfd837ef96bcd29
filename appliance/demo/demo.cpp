#include "appliance/demo/demo.h"

#include <signal.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <thread>

#include "appliance/demo/fake_clock.h"
#include "appliance/demo/fake_services/fake_services.h"
#include "appliance/demo/history_seeder.h"
#include "appliance/demo/stop_agents.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/data_folder.h"
#include "appliance/identity/site.h"

namespace demo {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

using namespace std::chrono_literals;
using agentbox::DataFolder;
using agentbox::Settings;
using agentbox::UsageError;

constexpr auto first_morning = 6h;

// What the folder remembers of the demo; that it exists marks the folder as one.
struct Note {
  Account admin, user;
  std::string outside;
  bool is_complete = false;
};

fs::path note_file(const fs::path& folder) { return folder / "demo.json"; }

std::optional<json::value> read_json(const fs::path& file) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  boost::system::error_code error;
  auto value = json::parse(std::string(std::istreambuf_iterator<char>(in), {}), error);
  return error ? std::nullopt : std::optional(std::move(value));
}

std::optional<Note> read_note(const fs::path& folder) {
  const auto value = read_json(note_file(folder));
  if (!value) return std::nullopt;
  return Note{.admin = {.email = text_at(*value, "/admin/email"), .password = text_at(*value, "/admin/password")},
              .user = {.email = text_at(*value, "/user/email"), .password = text_at(*value, "/user/password")},
              .outside = text_at(*value, "/outside"),
              .is_complete = value->at("complete").as_bool()};
}

void write_note(const fs::path& folder, const Note& note) {
  const auto account = [](const Account& one) {
    return json::object{{"email", one.email}, {"password", one.password}};
  };
  const json::object value{{"admin", account(note.admin)},
                           {"user", account(note.user)},
                           {"outside", note.outside},
                           {"complete", note.is_complete}};
  agentbox::write_private_file(note_file(folder), json::serialize(value) + "\n");
}

// Everything on that needs no network, and nothing that leaves.
Settings settings_of_demo(Settings settings, const agentbox::SettingSources& sources) {
  // Strangers who reach the demo could use up the machine.
  if (agentbox::is_reached_by_others(settings) && !sources.contains("REGISTRATION")) settings.registration = "closed";
  // Browsers have passkeys at localhost, and none at its address.
  constexpr std::string_view loopback = "127.0.0.1:";
  if (settings.base_url.empty() && settings.web_listen.starts_with(loopback) && !settings.web_listen.ends_with(":0"))
    settings.base_url = "http://localhost:" + settings.web_listen.substr(loopback.size());
  settings.egress = "deny";
  settings.agent_runtime = "process";
  settings.summarizer_allow_private = true;
  settings.feeds_allow_private = true;
  settings.status_page = true;
  settings.demo_chat = true;
  settings.rate_limits = false;
  return settings;
}

// Waits until the box says where it listens; nothing if it has ended instead.
std::optional<Addresses> addresses_of(const Settings& settings, const std::stop_token& stop) {
  const auto file = DataFolder(settings.data).endpoints_file();
  while (!stop.stop_requested()) {
    if (const auto value = read_json(file); value && fs::exists(file))
      return Addresses{
          .web = text_at(*value, "/web"),
          .backend = text_at(*value, "/backend"),
          .summarizer = text_at(*value, "/summarizer"),
          .site = settings.base_url.empty() ? text_at(*value, "/web") : agentbox::Site(settings.base_url).origin(),
          .internal_key = settings.internal_api_key};
    std::this_thread::sleep_for(50ms);
  }
  return std::nullopt;
}

void print_welcome(const Addresses& box, const Note& note, const Settings& settings, const std::string& outside,
                   const std::string& link) {
  std::cout << "\nThe demo is ready.\n";
  if (!link.empty())
    std::cout << "\nOpen this link in a browser on this machine. It signs in once, within 30 minutes:\n\n  " << link
              << "\n\nOr sign in with a password:\n";
  std::cout << "\n  console   " << (settings.base_url.empty() ? box.web : settings.base_url) << "/login\n  user      "
            << note.user.email << "  " << note.user.password << "\n  admin     " << note.admin.email << "  "
            << note.admin.password << "\n  outside   " << outside
            << "   (a web site, the inbox of the box's mails at /inbox, an identity provider, a card processor, a "
               "chain at /chain, models whose answers are the builtin model's)\n";
  if (settings.registration == "closed" && agentbox::is_reached_by_others(settings))
    std::cout << "\nOthers can reach this demo, so they cannot register. --registration open lets them.\n";
  std::cout << std::endl;
}

// Refuses what is not a demo; removes one that is to be reset.
void prepare_folder(const fs::path& folder, const Options& options, const Commands& commands) {
  if (!fs::exists(folder) || fs::is_empty(folder)) return;
  const auto note = read_note(folder);
  if (!note) throw UsageError(folder.string() + " is not empty and holds no demo: name another folder with --data");
  if (fs::exists(DataFolder(folder).endpoints_file()))
    throw UsageError("a demo runs in " + folder.string() + ", or was killed: stop it, and remove endpoints.json");
  if (options.reset) {
    agentbox::SettingSources sources;
    stop_agents(commands.resolve(sources));
    fs::remove_all(folder);
  } else if (!note->is_complete) {
    throw UsageError("the past of the demo in " + folder.string() + " was cut off: start it with --reset");
  }
}

Note begin(const fs::path& folder, const Options& options, const Commands& commands) {
  Note note{.admin = {.email = "admin@demo.example", .password = crypto::random_token(9)},
            .user = {.email = "mara@demo.example", .password = crypto::random_token(9)},
            .outside = options.outside};
  set_fake_clock(first_day(options.days) + first_morning);
  agentbox::SettingSources sources;
  commands.init(commands.resolve(sources), note.admin.email, note.admin.password);
  write_note(folder, note);
  return note;
}

}  // namespace

int run(const fs::path& folder, const Options& options, const Commands& commands) {
  prepare_folder(folder, options, commands);
  auto note = read_note(folder);
  if (!note) note = begin(folder, options, commands);

  agentbox::SettingSources sources;
  FakeServices services(note->outside);
  const auto given = commands.resolve(sources);
  auto resolved = settings_of_demo(given, sources);
  services.add_to(resolved);
  const auto settings = std::move(resolved);
  bool has_failed = false;
  std::jthread guide([&](const std::stop_token& stop) {
    try {
      const auto box = addresses_of(settings, stop);
      if (!box) return;
      services.meet(*box);
      if (!note->is_complete) {
        const auto progress = [](int day, int of) {
          std::cerr << "\rLiving through day " << day << " of " << of << (day == of ? "\n" : "") << std::flush;
        };
        seed_history({.box = *box,
                      .folder = settings.data,
                      .outside = services.url(),
                      .admin = note->admin,
                      .user = note->user,
                      .days = options.days,
                      .models = services.models_of(settings),
                      .can_register = settings.registration == "open",
                      .progress = progress});
        note->is_complete = true;
        write_note(folder, *note);
      }
      services.slow_down();
      const auto link = services.open_sign_in_link(note->user);
      print_welcome(*box, *note, settings, services.url(), link);
    } catch (const std::exception& error) {
      std::cerr << "\nagentbox: the demo: " << error.what() << std::endl;
      has_failed = true;
      ::kill(::getpid(), SIGTERM);
    }
  });
  const int code = commands.serve(settings, sources);
  guide.request_stop();
  guide.join();
  stop_agents(settings);
  return has_failed ? 1 : code;
}

}  // namespace demo
