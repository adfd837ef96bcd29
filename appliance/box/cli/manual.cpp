#include "appliance/box/cli/manual.h"

#include <algorithm>
#include <iostream>

#include "appliance/foundation/version.h"

namespace agentbox::cli {

namespace {

// A control character begins a line of roff, and a backslash an escape anywhere; a plain hyphen would become another
// one.
std::string roff(const std::string& text) {
  std::string escaped = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text)
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else if (c == '\n')
      escaped += ' ';
    else
      escaped += c;
  return escaped;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

std::string heading(const Argument& argument) {
  std::string text;
  for (const auto& name : argument.names) text += (text.empty() ? "" : ", ") + bold(name);
  if (argument.names.empty()) return italic(argument.positional);
  return argument.takes_value ? text + " " + italic(argument.type) : text;
}

std::string described(const Argument& argument) {
  return ".TP\n" + heading(argument) + "\n" + roff(argument.help) + "\n";
}

std::string synopsis(const Grammar& command) {
  std::string text = command.options.empty() ? "" : " [" + italic("options") + "]";
  for (const auto& one : command.positionals)
    text += one.is_required ? " " + italic(one.positional) : " [" + italic(one.positional) + "]";
  return text;
}

bool is_setting(const Argument& argument) { return argument.group == "Settings"; }

// As it is, line by line.
std::string preformatted(const std::string& text) {
  std::string lines = ".PP\n.nf\n";
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    lines += roff(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return lines + ".fi\n";
}

// A command and those below it. The settings of `serve` have a section of their own.
void describe(const Grammar& command, const std::string& path, std::string& page) {
  if (command.commands.empty()) {
    page += ".SS " + bold(path) + synopsis(command) + "\n" + roff(command.help) + ".\n";
    for (const auto& one : command.positionals) page += described(one);
    std::string settings;
    for (const auto& option : command.options)
      if (is_setting(option))
        settings += (settings.empty() ? "" : ", ") + bold(option.names.front());
      else if (option.names.back() != "--help")
        page += described(option);
    if (!settings.empty())
      page += command.name == "serve" ? ".PP\nEvery setting is an option, too.\n" : ".PP\nSettings: " + settings + "\n";
    if (!command.examples.empty()) page += preformatted(command.examples);
  }
  for (const auto& one : command.commands) describe(one, path + " " + one.name, page);
}

std::string settings_of(const Grammar& root) {
  std::string text;
  for (const auto& command : root.commands)
    if (command.name == "serve")
      for (const auto& option : command.options)
        if (is_setting(option)) text += described(option);
  return text;
}

}  // namespace

std::string manual_page(const Grammar& root, const std::string& version) {
  std::string page = ".TH AGENTBOX 1 \"\" \"agentbox " + version +
                     "\" \"User Commands\"\n.SH NAME\nagentbox \\- host AI agents on one box\n";
  page += ".SH SYNOPSIS\n" + bold("agentbox") + " " + italic("command") + " [" + italic("options") + "]\n";
  page +=
      ".SH DESCRIPTION\nOne program keeps users, agents and usage in an embedded store, runs each agent as a "
      "supervised process "
      "or container, meters every model call, and serves the APIs and a browser console.\n";
  page += ".SH COMMANDS\n";
  for (const auto& command : root.commands) describe(command, root.name + " " + command.name, page);
  page +=
      ".SH SETTINGS\nA flag overrides the environment variable of the name in parentheses, which overrides the config "
      "file, where the name is in lower case.\n" +
      settings_of(root);
  page +=
      ".SH EXIT STATUS\n.TP\n0\nsuccess\n.TP\n1\nthe command found a fault, or the box is not healthy\n.TP\n2\nthe "
      "caller "
      "can fix it: one line on standard error says how\n.TP\n3\n" +
      bold("agentbox verify") + ": sound, but the log ends in the middle of a write\n";
  page += ".SH FILES\n.TP\n" + italic("agentbox.toml") + "\nthe settings, in the data folder unless " +
          bold("--config") + " names another file\n.TP\n" + italic("master.key") +
          "\nseals secrets at rest: keep a copy apart from the backups\n.TP\n" + italic("store/") + ", " +
          italic("agents/") + "\nthe store, and a folder for each agent\n";
  return page;
}

void add_manual(CLI::App& app, std::function<int()>& run) {
  auto* command = app.add_subcommand("man", "Print the manual page: agentbox man | man -l -");
  command->callback([&app, &run] {
    run = [page = manual_page(grammar_of(app), version)] {
      std::cout << page;
      return 0;
    };
  });
}

}  // namespace agentbox::cli
