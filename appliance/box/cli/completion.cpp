#include "appliance/box/cli/completion.h"

#include <iostream>

#include "appliance/foundation/settings/setting_types.h"
#include "web/ascii.h"

namespace agentbox::cli {

namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string join_words(const std::vector<std::string>& words) { return web::join(words, " "); }

// Every command with its path, the program itself first: "agentbox", "agentbox admin", "agentbox admin users".
template <class Visit>
void each_command(const Grammar& grammar, const std::string& path, const Visit& visit) {
  visit(grammar, path);
  for (const auto& command : grammar.commands) each_command(command, path + " " + command.name, visit);
}

std::vector<std::string> names_of(const std::vector<Grammar>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command.name);
  return names;
}

// In single quotes of a POSIX shell.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

// fish knows two escapes in single quotes.
std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

// One item of zsh's _arguments: '(-h --help)'{-h,--help}'[help]:type:action'.
std::string zsh_item(const Argument& argument) {
  const auto plain = [](std::string text) {
    for (const std::string_view special : {"\\", "[", "]", ":"})
      text = replaced(std::move(text), special, "\\" + std::string(special));
    return replaced(std::move(text), "'", "'\\''");
  };
  const std::string action = !argument.choices.empty() ? "(" + join_words(argument.choices) + ")"
                             : argument.names_path()   ? "_files"
                                                       : " ";
  if (argument.names.empty()) return "'" + plain(argument.positional) + ": :" + action + "'";
  const std::string value = argument.takes_value ? ":" + plain(argument.type) + ":" + action : "";
  std::string items;
  for (const auto& name : argument.names)
    items += (items.empty() ? "" : " ") + ("'" + name + "[" + plain(argument.help) + "]" + value + "'");
  return items;
}

}  // namespace

std::string bash_completion(const Grammar& root) {
  std::string cases, values;
  each_command(root, root.name, [&](const Grammar& command, const std::string& path) {
    std::vector<std::string> options, positional;
    for (const auto& option : command.options)
      for (const auto& name : option.names) {
        options.push_back(name);
        if (!option.takes_value) continue;
        const std::string reply = !option.choices.empty() ? "COMPREPLY=($(compgen -W " +
                                                                quoted(join_words(option.choices)) + " -- \"$word\"))"
                                  : option.names_path() ? "compopt -o default"
                                                        : ":";
        values += "    " + quoted(path + " " + name) + ") " + reply + "; return ;;\n";
      }
    for (const auto& one : command.positionals)
      positional.insert(positional.end(), one.choices.begin(), one.choices.end());
    const std::string words = join_words(names_of(command.commands)) + join_words(positional);
    cases +=
        "    " + quoted(path) + ") commands=" + quoted(words) + " options=" + quoted(join_words(options)) + " ;;\n";
  });
  return "# bash completion of agentbox, made by `agentbox completion bash`\n"
         "_agentbox_words() {\n"
         "  commands='' options=''\n"
         "  case $1 in\n" +
         cases +
         "    *) return 1 ;;\n"
         "  esac\n"
         "}\n"
         "_agentbox() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} path=agentbox at commands options\n"
         "  for ((at = 1; at < COMP_CWORD; at++)); do\n"
         "    if _agentbox_words \"$path ${COMP_WORDS[at]}\"; then path+=\" ${COMP_WORDS[at]}\"; fi\n"
         "  done\n"
         "  COMPREPLY=()\n"
         "  case \"$path $before\" in\n" +
         values +
         "  esac\n"
         "  _agentbox_words \"$path\"\n"
         "  if [[ $word == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -W \"$commands\" -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -F _agentbox agentbox\n";
}

std::string zsh_completion(const Grammar& root) {
  const auto function_of = [](const std::string& path) { return "_" + replaced(replaced(path, " ", "__"), "-", "_"); };
  std::string functions;
  each_command(root, root.name, [&](const Grammar& command, const std::string& path) {
    functions += function_of(path) + "() {\n";
    if (!command.commands.empty()) functions += "  local state line\n  local -a commands\n";
    functions += "  _arguments -C";
    for (const auto& option : command.options) functions += " \\\n    " + zsh_item(option);
    for (const auto& one : command.positionals) functions += " \\\n    " + zsh_item(one);
    if (command.commands.empty()) {
      functions += "\n}\n";
      return;
    }
    functions += " \\\n    '1: :->command' '*:: :->arguments'\n  case $state in\n    command)\n      commands=(\n";
    for (const auto& one : command.commands)
      functions += "        " + quoted(one.name + ":" + replaced(one.help, ":", "\\:")) + "\n";
    functions += "      )\n      _describe command commands ;;\n    arguments)\n      case $words[1] in\n";
    for (const auto& one : command.commands)
      functions += "        " + one.name + ") " + function_of(path + " " + one.name) + " ;;\n";
    functions += "      esac ;;\n  esac\n}\n";
  });
  return "#compdef agentbox\n# zsh completion of agentbox, made by `agentbox completion zsh`\n" + functions +
         "if [ \"$funcstack[1]\" = _agentbox ]; then _agentbox \"$@\"; else compdef _agentbox agentbox; fi\n";
}

std::string fish_completion(const Grammar& root) {
  std::string lines = "# fish completion of agentbox, made by `agentbox completion fish`\ncomplete -c agentbox -f\n";
  each_command(root, "", [&](const Grammar& command, const std::string& path) {
    // Within this command, and in none of its subcommands.
    std::string condition = path.empty() ? "__fish_use_subcommand" : "";
    if (!path.empty()) {
      std::string seen;
      for (std::size_t at = 1; at < path.size();) {
        const auto end = std::min(path.find(' ', at), path.size());
        seen += (seen.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + path.substr(at, end - at));
        at = end + 1;
      }
      const auto below = join_words(names_of(command.commands));
      condition = seen + (below.empty() ? "" : "; and not __fish_seen_subcommand_from " + below);
    }
    const std::string start = "complete -c agentbox -n " + fish_quoted(condition);
    for (const auto& one : command.commands) lines += start + " -a " + one.name + " -d " + fish_quoted(one.help) + "\n";
    for (const auto& one : command.positionals)
      if (!one.choices.empty()) lines += start + " -a " + fish_quoted(join_words(one.choices)) + "\n";
    for (const auto& option : command.options) {
      lines += start;
      for (const auto& name : option.names)
        lines += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.takes_value) lines += option.names_path() ? " -r -F" : " -x";
      if (!option.choices.empty()) lines += " -a " + fish_quoted(join_words(option.choices));
      lines += " -d " + fish_quoted(option.help) + "\n";
    }
  });
  return lines;
}

void add_completion(CLI::App& app, std::function<int()>& run) {
  auto* command = app.add_subcommand("completion", "Print the completions for a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&app, &run, shell] {
    const auto& write = *shell == "bash" ? bash_completion : *shell == "zsh" ? zsh_completion : fish_completion;
    run = [text = write(grammar_of(app))] {
      std::cout << text;
      return 0;
    };
  });
}

}  // namespace agentbox::cli
