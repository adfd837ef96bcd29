#include "appliance/box/cli/grammar.h"

#include <algorithm>

namespace agentbox::cli {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

// "on|off" of a setting, or "TEXT:{web,backend}" of CLI11's IsMember.
std::vector<std::string> choices_of(const std::string& type) {
  const auto is_word = [](const std::string& word) {
    return !word.empty() &&
           std::ranges::all_of(word, [](char c) { return std::islower(c) || std::isdigit(c) || c == '-'; });
  };
  std::vector<std::string> choices;
  if (const auto open = type.find('{'); open != std::string::npos && type.ends_with('}'))
    choices = split(type.substr(open + 1, type.size() - open - 2), ',');
  else if (type.find('|') != std::string::npos)
    choices = split(type, '|');
  return std::ranges::all_of(choices, is_word) ? choices : std::vector<std::string>();
}

Argument argument_of(const CLI::Option& option) {
  Argument argument{.help = option.get_description(), .group = option.get_group()};
  for (const auto& name : option.get_snames()) argument.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) argument.names.push_back("--" + name);
  if (argument.names.empty()) argument.positional = option.get_name(true);
  argument.takes_value = option.get_items_expected_max() > 0;
  argument.is_required = option.get_required();
  if (!argument.takes_value) return argument;
  argument.choices = choices_of(option.get_type_name());
  argument.type = option.get_type_name().substr(0, option.get_type_name().find(':'));
  if (argument.type != "FILE" && argument.choices.empty()) argument.type = option.get_type_name();
  return argument;
}

}  // namespace

bool Argument::names_path() const {
  return type == "FILE" || type == "folder" || type == "PEM file" || std::ranges::find(names, "--to") != names.end() ||
         std::ranges::find(names, "--from") != names.end();
}

Grammar grammar_of(const CLI::App& app) {
  Grammar grammar{.name = app.get_name(), .help = app.get_description(), .examples = app.get_footer()};
  for (const auto* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    auto argument = argument_of(*option);
    (argument.names.empty() ? grammar.positionals : grammar.options).push_back(std::move(argument));
  }
  for (const auto* command : app.get_subcommands(nullptr))
    if (!command->get_group().empty()) grammar.commands.push_back(grammar_of(*command));
  return grammar;
}

}  // namespace agentbox::cli
