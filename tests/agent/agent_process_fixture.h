// One agent without its process: everything that `agent_process::run` builds, against a scripted model.
#pragma once

#include <string>

#include "appliance/agent/agent.h"
#include "appliance/agent/loop.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temporary_folder.h"

namespace agent_process::tests {

struct Agent {
  Agent(const std::filesystem::path& folder, const test_support::ScriptedServer& model_server,
        LoopOptions loop_options = {})
      : options(std::move(loop_options)),
        workspace(folder),
        repository(folder, {"/.agentbox/conversation.jsonl*", "/.agentbox/conversations/", "/.agentbox/peers/"}),
        memory(workspace.state_folder_path()),
        conversations(workspace.state_folder_path(), {.window_bytes = options.max_window_bytes}, files),
        model(model_server.url(), "box-token", "vendor/model"),
        toolbox(tools()),
        loop(options, model, toolbox, conversations, memory, repository, files) {}

  std::vector<Tool> tools() {
    auto all = file_tools(workspace, files);
    for (auto& tool : memory_tools(memory, files)) all.push_back(std::move(tool));
    for (auto& tool : git_tools(repository, files)) all.push_back(std::move(tool));
    return all;
  }
  web::Result<Reply> say(std::string text) { return test_support::await(loop.turn(std::move(text))); }

  boost::asio::thread_pool files{1};
  LoopOptions options;
  Workspace workspace;
  Repository repository;
  Memory memory;
  Conversations conversations;
  ModelClient model;
  Toolbox toolbox;
  Loop loop;
};

inline std::string system_prompt_of(const test_support::Received& request) {
  return std::string(request.json().at("messages").at(0).at("content").as_string());
}

// The content of the last message the model was sent.
inline std::string last_message(const test_support::Received& request) {
  return std::string(request.json().at("messages").as_array().back().at("content").as_string());
}

}  // namespace agent_process::tests
