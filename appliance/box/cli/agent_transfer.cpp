#include "appliance/box/cli/subcommands.h"

#include <boost/algorithm/string/replace.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "appliance/box/cli/admin_command.h"
#include "appliance/box/cli/exchange.h"
#include "appliance/box/cli/progress.h"
#include "appliance/foundation/beneath.h"

namespace agentbox::cli {

namespace {

namespace json = boost::json;

constexpr std::chrono::hours transfer_timeout{1};
constexpr std::chrono::minutes rewind_timeout{3};

struct TransferOptions {
  std::string agent, owner, message, name;
  std::filesystem::path file;
  bool is_preview = false;
};

std::string full_path_of(const std::filesystem::path& file) {
  return std::filesystem::absolute(file).lexically_normal().string();
}

void print_each(const json::object& answer, std::string_view name, const char* said) {
  for (const auto& one : answer.at(name).as_array()) std::cout << said << std::string(one.as_string()) << '\n';
}

// Where files can pass to a box of this machine; nothing: the box reads and writes the caller's path itself.
std::unique_ptr<const Exchange> exchange_with(const BoxClient& box) {
  const auto folder = box.data_folder();
  return folder ? std::make_unique<const Exchange>(DataFolder(*folder)) : nullptr;
}

int export_agent(const BoxClient& box, const TransferOptions& options) {
  const std::filesystem::path file = full_path_of(options.file);
  if (std::filesystem::exists(file)) throw UsageError(file.string() + " exists already: name another file");
  if (const auto folder = box.data_folder(); folder && is_beneath(file, *folder))
    throw UsageError(file.string() + " must be outside of the data folder");
  const auto exchange = exchange_with(box);
  const std::string name = "agent";
  const auto written = exchange ? exchange->file(name) : file;
  const json::object body{{"file", written.string()}};
  const auto answer = [&] {
    const Progress progress("exporting");
    auto made =
        box.call("POST", "/api/admin/agents/" + escaped(options.agent) + "/export", body, transfer_timeout).as_object();
    if (exchange) exchange->take(name, file);
    return made;
  }();
  print_each(answer, "leftOut", "left out: ");
  print_each(answer, "secrets", "left out: the secret at config");
  std::cout << "exported to " << file.string() << ", " << shown_bytes(answer.at("bytes").to_number<std::uint64_t>())
            << '\n';
  return 0;
}

int import_agent(const BoxClient& box, const TransferOptions& options) {
  const std::filesystem::path file = full_path_of(options.file);
  const auto exchange = exchange_with(box);
  const auto lent = exchange ? exchange->lend(file) : file;
  const json::object body{{"file", lent.string()}, {"owner", options.owner}};
  const auto answer = [&] {
    const Progress progress("importing");
    try {
      return box.call("POST", "/api/admin/agents/import", body, transfer_timeout).as_object();
    } catch (const UsageError& error) {
      throw UsageError(boost::replace_all_copy(std::string(error.what()), lent.string(), file.string()));
    }
  }();
  std::cout << "imported " << std::string(answer.at("name").as_string()) << " as "
            << std::string(answer.at("id").as_string()) << ": " << answer.at("messages") << " messages, "
            << answer.at("schedules") << " scheduled prompts. It is not started yet\n";
  print_each(answer, "secrets", "to be set again: config");
  return 0;
}

int rewind_agent(const BoxClient& box, const TransferOptions& options) {
  const json::object body{{"message", options.message}, {"preview", options.is_preview}};
  const auto answer =
      box.call("POST", "/api/agents/" + escaped(options.agent) + "/rewind", body, rewind_timeout).as_object();
  print_each(answer, "files", options.is_preview ? "would change: " : "changed: ");
  for (const auto& effect : answer.at("notUndone").as_array())
    std::cout << "not undone: " << std::string(effect.at("tool").as_string()) << " at "
              << std::string(effect.at("at").as_string()) << '\n';
  std::cout << (options.is_preview ? "would undo " : "undid ") << answer.at("turns") << " turns and "
            << answer.at("messages") << " messages\n";
  return 0;
}

int fork_agent(const BoxClient& box, const TransferOptions& options) {
  const json::object body{{"message", options.message}, {"name", options.name}};
  const auto answer =
      box.call("POST", "/api/agents/" + escaped(options.agent) + "/fork", body, rewind_timeout).as_object();
  std::cout << "made " << std::string(answer.at("name").as_string()) << " as "
            << std::string(answer.at("id").as_string()) << ", which is starting\n";
  return 0;
}

}  // namespace

void add_agent_transfer(CLI::App& admin, std::function<int()>& run) {
  auto* agent = admin.add_subcommand(
      "agent", "Carry one agent to another box or owner in a file, or go back to an earlier state of it");
  agent->require_subcommand(1);
  const auto options = std::make_shared<TransferOptions>();

  auto* exporting =
      agent->add_subcommand("export", "Write an agent to a file of the box's machine, but for its secrets");
  exporting->add_option("id", options->agent, "the agent's id")->required();
  exporting->add_option("--to", options->file, "the file, which must not exist")->required();
  connect(*exporting, run, [options](const BoxClient& box) { return export_agent(box, *options); });

  auto* importing = agent->add_subcommand("import", "Make a new agent of a file that export wrote");
  importing->add_option("file", options->file, "the file")->required()->type_name("FILE");
  importing->add_option("--owner", options->owner, "e-mail address of its owner")->required()->type_name("EMAIL");
  connect(*importing, run, [options](const BoxClient& box) { return import_agent(box, *options); });

  auto* rewinding = agent->add_subcommand(
      "rewind", "Make files, memory and a conversation of an agent what they were before a message of its owner");
  rewinding->add_option("id", options->agent, "the agent's id")->required();
  rewinding->add_option("message", options->message, "the message's id")->required();
  rewinding->add_flag("--preview", options->is_preview, "only say what that would change");
  connect(*rewinding, run, [options](const BoxClient& box) { return rewind_agent(box, *options); });

  auto* forking = agent->add_subcommand(
      "fork", "Make a new agent with files, memory and a conversation as they were before a message of the owner");
  forking->add_option("id", options->agent, "the agent's id")->required();
  forking->add_option("message", options->message, "the message's id")->required();
  forking->add_option("--name", options->name, "name of the new agent")->required();
  connect(*forking, run, [options](const BoxClient& box) { return fork_agent(box, *options); });
}

}  // namespace agentbox::cli
