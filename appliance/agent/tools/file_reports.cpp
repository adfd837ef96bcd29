// Files and memory that tools use, reported to the box before the use: the box knows which of them have texts of
// others, and passes that on to the turn, and from the turn to what it writes. Tools whose calls the box carries out
// itself need no report.
#include <boost/json.hpp>
#include <map>

#include "appliance/agent/tools/toolbox.h"
#include "web/ascii.h"
#include "web/client/fetch.h"
#include "web/json.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr auto file_report_time = std::chrono::seconds(10);
constexpr std::size_t max_file_report_bytes = 64 * 1024, max_paths = 100;

// What a call uses: an object as POST /api/agent-gate/files takes it.
using Use = json::object (*)(const json::object& arguments);

json::array argument_path(const json::object& arguments, std::string_view member) {
  return {json::value(web::string_member(arguments, member))};
}

// The files that a patch names.
json::array paths_in_patch(std::string_view patch) {
  json::array paths;
  while (!patch.empty() && paths.size() < max_paths) {
    const auto end = std::min(patch.find('\n'), patch.size());
    auto line = patch.substr(0, end);
    patch.remove_prefix(std::min(end + 1, patch.size()));
    if (!line.starts_with("+++ ") && !line.starts_with("--- ")) continue;
    line = web::trim(line.substr(4), web::white_space);
    if (line.starts_with("a/") || line.starts_with("b/")) line.remove_prefix(2);
    if (line != "/dev/null") paths.emplace_back(line);
  }
  return paths;
}

const std::map<std::string_view, Use>& uses() {
  using Object = const json::object&;
  static const std::map<std::string_view, Use> table{
      {"read_file",
       [](Object a) {
         return json::object{{"reads", argument_path(a, "path")}};
       }},
      {"read_document",
       [](Object a) {
         return json::object{{"reads", argument_path(a, "path")}};
       }},
      {"search_files",
       [](Object a) {
         return json::object{{"reads", argument_path(a, "path")}};
       }},
      {"write_file",
       [](Object a) {
         return json::object{{"writes", argument_path(a, "path")}};
       }},
      {"edit_file",
       [](Object a) {
         return json::object{{"reads", argument_path(a, "path")}, {"writes", argument_path(a, "path")}};
       }},
      {"move_file",
       [](Object a) {
         return json::object{{"reads", argument_path(a, "from")}, {"writes", argument_path(a, "to")}};
       }},
      {"apply_patch",
       [](Object a) {
         auto paths = paths_in_patch(web::string_member(a, "patch"));
         return json::object{{"reads", paths}, {"writes", std::move(paths)}};
       }},
      {"git_diff",
       [](Object a) {
         return json::object{{"reads", argument_path(a, "path")}};
       }},
      {"use_skill",
       [](Object a) {
         return json::object{{"reads", json::array{json::value("skills/" + web::string_member(a, "name"))}}};
       }},
      {"write_skill",
       [](Object a) {
         return json::object{{"writes", json::array{json::value("skill-drafts/" + web::string_member(a, "name"))}}};
       }},
      {"remember",
       [](Object) {
         return json::object{{"writesMemory", true}};
       }},
      {"write_memory_block",
       [](Object) {
         return json::object{{"writesMemory", true}};
       }},
      {"recall",
       [](Object) {
         return json::object{{"readsMemory", true}};
       }},
      {"search_history",
       [](Object) {
         return json::object{{"readsHistory", true}};
       }},
  };
  return table;
}

struct Reporter {
  std::string url, token;

  // A box of an earlier version takes no reports.
  web::Task<web::Result<void>> report(json::object use) const {
    web::FetchRequest request{.url = url, .method = "POST"};
    request.headers.emplace_back("Authorization", "Bearer " + token);
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = json::serialize(use);
    request.timeout = file_report_time;
    request.max_bytes = max_file_report_bytes;
    const auto response = co_await web::fetch(std::move(request));
    if (!response) co_return web::unavailable("The box cannot be reached: " + response.error().message);
    if (response->status == 200 || response->status == 404) co_return web::Result<void>();
    co_return web::unavailable("The box did not take the report about this file");
  }
};

}  // namespace

std::vector<Tool> report_files(std::vector<Tool> tools, const std::string& backend_url, const std::string& box_token) {
  const Reporter reporter{backend_url + "/api/agent-gate/files", box_token};
  for (auto& tool : tools) {
    const auto found = uses().find(tool.definition.name);
    if (found == uses().end()) continue;
    tool.run = [reporter, use = found->second,
                run = std::move(tool.run)](json::value arguments) -> web::Task<web::Result<json::value>> {
      auto used = arguments.is_object() ? use(arguments.get_object()) : json::object();
      const auto reported = co_await reporter.report(std::move(used));
      if (!reported) co_return reported.error();
      co_return co_await run(std::move(arguments));
    };
  }
  return tools;
}

}  // namespace agent_process
