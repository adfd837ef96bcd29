// Which names the agent's file tools may use, and where its state is.
#pragma once

#include <string_view>

#include "appliance/files/path.h"

namespace agent_process {

// The agent's own files (conversation, memory) inside the workspace.
inline constexpr std::string_view state_folder = ".agentbox";
inline constexpr std::string_view conversation_file = "conversation.jsonl", memory_file = "memory.jsonl",
                                  turns_file = "turns.jsonl", vectors_file = "memory.jsonl.vectors";
// See conversations.h.
inline constexpr std::string_view conversations_folder = "conversations", conversation_history = "history.jsonl",
                                  conversation_files = "files", peers_folder = "peers";

// Where an agent writes down points from which clones begin (Loop::fork); not in git.
inline constexpr std::string_view forks_folder = "forks";

// The name of the owner's first conversation, which stores of earlier versions have without a name.
inline constexpr std::string_view first_conversation = "first";

// Files with long results of tools (tools/kept_results.cpp); not in git.
inline constexpr std::string_view kept_results_folder = ".results";

// Names that boxes give to conversations and peers: 1 to 64 letters, digits, '-' and '_'.
bool is_conversation_name(std::string_view);

// See files::components_of.
web::Result<files::Components> path_components(std::string_view path);

// True for .git, .gitmodules and the state folder, and for names that some file system treats as one of them.
bool is_reserved(std::string_view component);

}  // namespace agent_process
