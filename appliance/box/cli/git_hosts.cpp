#include "appliance/box/cli/subcommands.h"

#include <iomanip>
#include <iostream>
#include <memory>

#include "appliance/box/cli/admin_command.h"
#include "appliance/box/cli/secret_file.h"

namespace agentbox::cli {

namespace {

namespace json = boost::json;

constexpr auto git_hosts_route = "/api/admin/git-hosts";

struct HostArguments {
  std::string url, secret_file;
  std::vector<std::string> host_keys;
};

void print_host(const json::object& host) {
  std::cout << std::left << std::setw(40) << host.at("url").as_string().c_str() << host.at("user").as_string().c_str()
            << '\n';
  for (const auto& key : host.at("hostKeys").as_array()) std::cout << "    " << key.as_string().c_str() << '\n';
}

int list_hosts(const BoxClient& box) {
  const auto answer = box.call("GET", git_hosts_route).as_object();
  for (const auto& host : answer.at("hosts").as_array()) print_host(host.as_object());
  return 0;
}

int set_host(const BoxClient& box, const HostArguments& arguments) {
  json::object body{{"url", arguments.url}};
  if (!arguments.secret_file.empty()) body["secret"] = read_secret(arguments.secret_file);
  if (!arguments.host_keys.empty()) body["hostKeys"] = json::value_from(arguments.host_keys);
  print_host(box.call("PUT", git_hosts_route, body).as_object());
  return 0;
}

int forget_host(const BoxClient& box, const HostArguments& arguments) {
  box.call("DELETE", std::string(git_hosts_route) + "?url=" + escaped(arguments.url));
  std::cout << "the account is removed\n";
  return 0;
}

}  // namespace

void add_git_hosts(CLI::App& admin, std::function<int()>& run) {
  auto* hosts = admin.add_subcommand("git-hosts", "Manage the box's accounts at git hosts");
  hosts->require_subcommand(1);
  const auto arguments = std::make_shared<HostArguments>();
  using Act = int (*)(const BoxClient&, const HostArguments&);
  const auto add = [&](const std::string& name, const std::string& help, Act act) {
    auto* command = hosts->add_subcommand(name, help);
    connect(*command, run, [arguments, act](const BoxClient& box) { return act(box, *arguments); });
    return command;
  };
  add("list", "List the accounts, without their secrets",
      [](const BoxClient& box, const HostArguments&) { return list_hosts(box); });
  auto* setting = add("set", "Set the box's account at a host, and the keys of an ssh host", set_host);
  setting->add_option("url", arguments->url, "ssh://git@git.example.org, https://box@git.example.org:8443")->required();
  setting->add_option("--secret", arguments->secret_file,
                      "file with the password or token, for ssh with the private key; - reads it from standard input");
  setting->add_option("--host-key", arguments->host_keys,
                      "fingerprints of the ssh host's keys, as ssh-keygen -l prints them; they replace earlier ones");
  auto* forgetting = add("forget", "Remove the account at a host", forget_host);
  forgetting->add_option("url", arguments->url, "as printed by list")->required();
}

}  // namespace agentbox::cli
