// The names of all tools, for code without access to the tools themselves.
#pragma once

#include <string_view>

namespace agent_process {

inline constexpr std::string_view tool_names[] = {"summarize_page",
                                                  "extract_page",
                                                  "read_file",
                                                  "write_file",
                                                  "list_files",
                                                  "remember",
                                                  "recall",
                                                  "forget",
                                                  "git_status",
                                                  "git_diff",
                                                  "git_log",
                                                  "git_commit",
                                                  "schedule_prompt",
                                                  "list_scheduled_prompts",
                                                  "cancel_scheduled_prompt",
                                                  "use_skill",
                                                  "send_message",
                                                  "read_messages",
                                                  "read_feed",
                                                  "make_video",
                                                  "show_video",
                                                  "go_on_air",
                                                  "show_broadcast",
                                                  "leave_air",
                                                  "pay_usdc",
                                                  "show_wallet"};

}  // namespace agent_process
