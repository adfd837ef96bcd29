// `channels`: the messaging channels of a user's own agents, with an API key.
#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <iostream>
#include <memory>
#include <tuple>

#include "appliance/box/cli/admin_command.h"
#include "appliance/box/cli/confirmation.h"
#include "appliance/box/cli/secret_file.h"
#include "appliance/box/cli/setting_flags.h"
#include "appliance/box/cli/subcommands.h"
#include "appliance/box/cli/table.h"
#include "web/client/fetch.h"
#include "web/json.h"

namespace agentbox::cli {

namespace {

namespace json = boost::json;

// The box's web API, for one user.
class UserClient {
 public:
  UserClient(std::string url, std::string key) : url_(std::move(url)), key_(std::move(key)) {
    while (url_.ends_with('/')) url_.pop_back();
  }

  // Throws UsageError with the box's sentence.
  json::object call(std::string method, const std::string& path, const json::value& body = nullptr) const {
    web::FetchRequest request{.url = url_ + path, .method = std::move(method), .timeout = std::chrono::seconds(30)};
    request.headers.emplace_back("Authorization", "Bearer " + key_);
    if (!body.is_null()) {
      request.headers.emplace_back("Content-Type", "application/json");
      request.body = json::serialize(body);
    }
    const auto answer = web::fetch_blocking(std::move(request));
    if (!answer) throw UsageError("no box answers at " + url_ + ": name its address with --url");
    boost::system::error_code malformed;
    auto value = json::parse(answer->body, malformed);
    if (answer->status >= 400) {
      const auto said = web::string_member(value, "error");
      throw UsageError(said.empty() ? "the box answered " + std::to_string(answer->status) : said);
    }
    return value.is_object() ? std::move(value.as_object()) : json::object();
  }

 private:
  std::string url_;
  const std::string key_;
};

struct OwnerArguments {
  std::string url, key_file;
  std::string agent, channel, kind, code, person, cap, letter, token_file, access;
  std::vector<std::string> options, secrets;
  bool as_owner = false, as_json = false;
};

std::string web_url(const Settings& settings) {
  auto url = announced_url(settings, "web");
  return url.empty() ? "http://" + settings.web_listen : url;
}

// By id, or by a name that one agent has.
std::string agent_id(const UserClient& box, const std::string& given) {
  std::string found;
  const auto answer = box.call("GET", "/api/agents");
  for (const auto& agent : answer.at("agents").as_array()) {
    auto id = shown(agent.at("id"));
    if (id == given) return id;
    if (shown(agent.at("name")) != given) continue;
    if (!found.empty()) throw UsageError("several agents are called " + given + ": name one by its id");
    found = id;
  }
  if (found.empty()) throw UsageError("there is no agent " + given);
  return found;
}

std::string channels_path(const UserClient& box, const OwnerArguments& given) {
  return "/api/agents/" + escaped(agent_id(box, given.agent)) + "/channels";
}

// By id, or by its kind if the agent has one of it.
std::string channel_path(const UserClient& box, const OwnerArguments& given) {
  const auto path = channels_path(box, given);
  std::string found;
  const auto answer = box.call("GET", path);
  for (const auto& channel : answer.at("channels").as_array()) {
    const auto id = shown(channel.at("id"));
    if (id == given.channel) return path + "/" + escaped(id);
    if (shown(channel.at("kind")) != given.channel) continue;
    if (!found.empty())
      throw UsageError("the agent has several channels of the kind " + given.channel + ": name one by its id");
    found = id;
  }
  if (found.empty()) throw UsageError("the agent has no channel " + given.channel);
  return path + "/" + escaped(found);
}

void print_channels(const json::array& channels) {
  Table table({"CHANNEL", "KIND", "STATE", "IDENTITY", "ACCESS", "WAITING", "QUEUED", "UNDELIVERED", "ERROR"});
  for (const auto& channel : channels)
    table.add({shown(channel.at("id")), shown(channel.at("kind")), shown(channel.at("state")),
               shown(channel.at("identity")), shown(channel.at("access")), shown(channel.at("pending")),
               shown(channel.at("queued")), shown(channel.at("deadLetters")), shown(channel.at("error"))});
  table.print();
}

void print_people(const json::array& people) {
  Table table({"PERSON", "NAME", "ADDRESS", "STANDING", "CAP", "LAST MESSAGE"});
  for (const auto& person : people)
    table.add({shown(person.at("id")), shown(person.at("name")), shown(person.at("address")),
               shown(person.at("standing")), shown(person.at("dailyCap")), shown(person.at("lastMessageAt"))});
  table.print();
}

// Whether it was printed as JSON.
bool print_json(const OwnerArguments& given, const json::value& value) {
  if (given.as_json) std::cout << json::serialize(value) << '\n';
  return given.as_json;
}

int list_own_channels(const UserClient& box, const OwnerArguments& given) {
  const auto answer = box.call("GET", channels_path(box, given));
  if (!print_json(given, answer.at("channels"))) print_channels(answer.at("channels").as_array());
  return 0;
}

std::pair<std::string, std::string> split_pair(const std::string& text, const char* flag) {
  const auto at = text.find('=');
  if (at == std::string::npos || at == 0) throw UsageError(std::string(flag) + " must be NAME=VALUE: " + text);
  return {text.substr(0, at), text.substr(at + 1)};
}

int add_channel(const UserClient& box, const OwnerArguments& given) {
  json::object body{{"kind", given.kind}};
  if (!given.token_file.empty()) body["token"] = read_secret(given.token_file);
  json::object options, secrets;
  for (const auto& text : given.options) {
    auto [name, value] = split_pair(text, "--option");
    // A value that is JSON is taken as such, so that numbers and lists can be given.
    boost::system::error_code no_json;
    auto parsed = json::parse(value, no_json);
    options[name] = no_json ? json::value(value) : std::move(parsed);
  }
  for (const auto& text : given.secrets) {
    const auto [name, file] = split_pair(text, "--secret");
    secrets[name] = read_secret(file);
  }
  if (!options.empty()) body["options"] = std::move(options);
  if (!secrets.empty()) body["secrets"] = std::move(secrets);
  if (!given.access.empty()) body["access"] = given.access;
  const auto answer = box.call("POST", channels_path(box, given), body);
  if (!print_json(given, answer.at("channel"))) print_channels({answer.at("channel")});
  return 0;
}

int remove_channel(const UserClient& box, const OwnerArguments& given) {
  box.call("DELETE", channel_path(box, given));
  std::cout << "the channel is removed\n";
  return 0;
}

int send_test_message(const UserClient& box, const OwnerArguments& given) {
  const auto answer = box.call("POST", channel_path(box, given) + "/test");
  std::cout << "sent to " << shown(answer.at("sent")) << " of your accounts\n";
  return 0;
}

int list_people(const UserClient& box, const OwnerArguments& given) {
  const auto answer = box.call("GET", channel_path(box, given) + "/peers");
  if (!print_json(given, answer.at("peers"))) print_people(answer.at("peers").as_array());
  return 0;
}

int pair_person(const UserClient& box, const OwnerArguments& given) {
  const auto answer = box.call("POST", channel_path(box, given) + "/pairings",
                               json::object{{"code", given.code}, {"owner", given.as_owner}});
  if (!print_json(given, answer.at("peer"))) print_people({answer.at("peer")});
  return 0;
}

int set_standing(const UserClient& box, const OwnerArguments& given, const char* standing) {
  const auto answer = box.call("PUT", channel_path(box, given) + "/peers/" + escaped(given.person),
                               json::object{{"standing", standing}});
  if (!print_json(given, answer.at("peer"))) print_people({answer.at("peer")});
  return 0;
}

constexpr std::string_view usual_cap = "default";

std::int64_t parse_cap(std::string_view text) {
  std::int64_t cap = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cap);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError("messages must be a number or default: " + std::string(text));
  return cap;
}

// The standing stays as it is.
int set_cap(const UserClient& box, const OwnerArguments& given) {
  const auto path = channel_path(box, given) + "/peers";
  const auto one = path + "/" + escaped(given.person);
  json::object answer;
  if (given.cap == usual_cap) {
    answer = box.call("DELETE", one + "/cap");
  } else {
    const auto all = box.call("GET", path);
    const auto& people = all.at("peers").as_array();
    const auto person =
        std::ranges::find(people, given.person, [](const json::value& each) { return shown(each.at("id")); });
    if (person == people.end()) throw UsageError("the channel knows no person " + given.person);
    answer =
        box.call("PUT", one, json::object{{"standing", person->at("standing")}, {"dailyCap", parse_cap(given.cap)}});
  }
  if (!print_json(given, answer.at("peer"))) print_people({answer.at("peer")});
  return 0;
}

int list_undelivered(const UserClient& box, const OwnerArguments& given) {
  const auto answer = box.call("GET", channel_path(box, given) + "/dead-letters");
  if (print_json(given, answer.at("deadLetters"))) return 0;
  Table table({"MESSAGE", "TO", "CREATED", "ATTEMPTS", "ERROR"});
  for (const auto& letter : answer.at("deadLetters").as_array())
    table.add({shown(letter.at("id")), shown(letter.at("chat")), shown(letter.at("createdAt")),
               shown(letter.at("attempts")), shown(letter.at("error"))});
  table.print();
  return 0;
}

std::string letter_path(const UserClient& box, const OwnerArguments& given) {
  return channel_path(box, given) + "/dead-letters/" + escaped(given.letter);
}

int resend_message(const UserClient& box, const OwnerArguments& given) {
  box.call("POST", letter_path(box, given) + "/replay");
  std::cout << "the message is sent again\n";
  return 0;
}

int discard_message(const UserClient& box, const OwnerArguments& given) {
  box.call("DELETE", letter_path(box, given));
  std::cout << "the message is discarded\n";
  return 0;
}

}  // namespace

void add_own_channels(CLI::App& app, std::function<int()>& run) {
  auto* channels = app.add_subcommand("channels", "Connect your agents to messaging channels, with an API key");
  channels->require_subcommand(1);
  const auto given = std::make_shared<OwnerArguments>();
  const auto add_command = [&](const char* name, const char* help) {
    auto* command = channels->add_subcommand(name, help);
    command->add_option("agent", given->agent, "its name or id")->required();
    return command;
  };
  const auto add_on_channel = [&](const char* name, const char* help) {
    auto* command = add_command(name, help);
    command->add_option("channel", given->channel, "its id, or its kind if the agent has one of it")->required();
    return command;
  };
  const auto add_json = [&](CLI::App* command) {
    command->add_flag("--json", given->as_json, "print JSON, for programs");
  };
  const auto connect_user = [&](CLI::App* command, std::function<int(const UserClient&, const OwnerArguments&)> act) {
    const SettingFlags flags(*command, {"AGENTBOX_DATA", "WEB_LISTEN"});
    command->add_option("--url", given->url, "the box's address [that of the box on the data folder]")
        ->type_name("URL");
    command
        ->add_option("--key-file", given->key_file,
                     "a file with an API key of the scopes agents:read and agents:write; -: standard input")
        ->type_name("FILE")
        ->required();
    command->callback([&run, flags, given, act = std::move(act)] {
      run = [flags, given, act] {
        auto url = given->url.empty() ? web_url(flags.resolve()) : given->url;
        return act(UserClient(std::move(url), read_secret(given->key_file)), *given);
      };
    });
  };

  auto* listing = add_command("list", "List an agent's channels with their states");
  add_json(listing);
  connect_user(listing, list_own_channels);
  auto* adding = add_command("add", "Connect an agent to a channel");
  adding->add_option("kind", given->kind, "such as telegram; docs/channels.md has a section for each")->required();
  adding
      ->add_option("--token-file", given->token_file, "a file with the token or password of the bot; -: standard input")
      ->type_name("FILE");
  adding->add_option("--option", given->options, "an option of the kind, such as homeserver=URL; may be repeated")
      ->type_name("NAME=VALUE");
  adding->add_option("--secret", given->secrets, "a further secret, from a file; may be repeated")
      ->type_name("NAME=FILE");
  adding->add_option("--access", given->access, "who may write")->check(CLI::IsMember({"pairing", "open", "closed"}));
  add_json(adding);
  connect_user(adding, add_channel);
  auto* removing = add_on_channel("remove", "Remove a channel with its people");
  const Confirmation confirmation(*removing);
  connect_user(removing, [confirmation](const UserClient& box, const OwnerArguments& named) {
    confirmation.require("Remove the channel " + named.channel + " of " + named.agent + " with its people?");
    return remove_channel(box, named);
  });
  connect_user(add_on_channel("test", "Send a test message to your linked accounts"), send_test_message);

  auto* people = add_on_channel("people", "List who writes over a channel");
  add_json(people);
  connect_user(people, list_people);
  auto* pairing = add_on_channel("pair", "Admit the person who was given a code");
  pairing->add_option("code", given->code, "as the person was given it")->required();
  pairing->add_flag("--owner", given->as_owner, "it is an account of your own");
  add_json(pairing);
  connect_user(pairing, pair_person);
  for (const auto& [name, help, standing] : {std::array{"admit", "Admit a person or group without a code", "allowed"},
                                             std::array{"block", "Block a person or group", "blocked"}}) {
    auto* changing = add_on_channel(name, help);
    changing->add_option("person", given->person, "the id, as printed by people")->required();
    add_json(changing);
    connect_user(changing, [standing = standing](const UserClient& box, const OwnerArguments& named) {
      return set_standing(box, named, standing);
    });
  }
  auto* limiting = add_on_channel("limit", "Limit how often a person or group may write");
  limiting->add_option("person", given->person, "the id, as printed by people")->required();
  limiting->add_option("messages", given->cap, "in a day (UTC); default: as the channel limits each person")
      ->required();
  add_json(limiting);
  connect_user(limiting, set_cap);

  auto* undelivered = add_on_channel("undelivered", "List messages that could not be delivered");
  add_json(undelivered);
  connect_user(undelivered, list_undelivered);
  for (const auto& [name, help, act] : {std::tuple("resend", "Send an undelivered message again", &resend_message),
                                        std::tuple("discard", "Discard an undelivered message", &discard_message)}) {
    auto* command = add_on_channel(name, help);
    command->add_option("message", given->letter, "the id, as printed by undelivered")->required();
    connect_user(command, act);
  }
}

}  // namespace agentbox::cli
