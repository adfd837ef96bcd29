#include "appliance/network/skills/package.h"

#include <algorithm>
#include <set>

#include "appliance/agent/workspace_path.h"
#include "appliance/foundation/crypto/random.h"

namespace skills {

namespace {

constexpr std::size_t max_levels = 4;
constexpr std::string_view default_version = "1.0.0";
constexpr auto highest_price = usage::Money::of_units(1'000'000'000'000'000);  // 1,000 dollars
constexpr std::int64_t smallest_part = 1'000'000;                              // Money::units of 10^-6 dollars

web::Result<void> check_paths(const std::vector<PackageFile>& files) {
  std::set<std::string> seen;
  for (const auto& file : files) {
    const auto components = agent_process::path_components(file.path);
    if (!components) return web::invalid(file.path + ": " + components.error().message);
    if (components->empty() || components->size() > max_levels || files::join(*components) != file.path)
      return web::invalid(file.path + ": must be a path of at most " + std::to_string(max_levels) + " names");
    std::string folded;
    for (const auto& component : *components) folded += "/" + files::folded(component);
    if (!seen.insert(folded).second) return web::invalid(file.path + ": two files have this name");
  }
  if (const auto both = files::file_and_folder(seen))
    return web::invalid(both->substr(1) + ": is a file, and the folder of another");
  return {};
}

web::Result<void> check_sizes(const std::vector<PackageFile>& files) {
  if (files.size() > max_files) return web::invalid("A skill has at most " + std::to_string(max_files) + " files");
  std::size_t sum = 0;
  for (const auto& file : files) {
    if (file.content.size() > max_file_bytes) return web::invalid(file.path + ": must be at most 512 KB");
    sum += file.content.size();
  }
  if (sum > max_package_bytes) return web::invalid("A skill has at most 2 MB");
  return {};
}

web::Result<usage::Money> parse_price(const std::optional<web::Text<1, 20>>& text) {
  if (!text) return usage::Money();
  const auto price = usage::Money::parse(*text);
  if (!price || *price < usage::Money() || *price > highest_price || price->units() % smallest_part != 0)
    return web::invalid("SKILL.md: price must be US dollars from 0 to 1000 with at most 6 decimals, such as 0.05");
  return *price;
}

web::Result<void> check_inputs(const std::vector<agent_process::SkillInput>& inputs) {
  std::set<std::string> names;
  for (const auto& input : inputs)
    if (!names.insert(input.name).second) return web::invalid("SKILL.md: inputs: two are named " + input.name);
  return {};
}

std::string version_of(const agent_process::SkillHead& head) {
  if (head.version) return *head.version;
  const auto* version = head.metadata ? head.metadata->if_contains("version") : nullptr;
  if (version && version->is_string() && version->get_string().size() <= 32) return std::string(version->get_string());
  return std::string(default_version);
}

}  // namespace

web::Result<Skill> read_package(std::vector<PackageFile> files, Source source) {
  if (const auto good = check_sizes(files); !good) return good.error();
  if (const auto good = check_paths(files); !good) return good.error();
  const auto found = std::ranges::find(files, agent_process::skill_file_name, &PackageFile::path);
  if (found == files.end()) return web::invalid("SKILL.md is missing");
  auto file = agent_process::parse_skill_file(found->content);
  if (!file) return file.error();
  auto& head = file->head;
  const auto price = parse_price(head.price);
  if (!price) return price.error();
  Skill skill{.name = head.name,
              .description = head.description,
              .version = version_of(head),
              .license = head.license ? std::string(*head.license) : std::string(),
              .price = *price,
              .inputs = {},
              .allowed_tools = std::move(file->allowed_tools),
              .compatibility = std::move(file->compatibility),
              .instructions = std::move(file->instructions),
              .files = {},
              .source = source};
  if (head.inputs) skill.inputs = std::move(*head.inputs);
  if (const auto good = check_inputs(skill.inputs); !good) return good.error();
  const auto* place = head.metadata ? head.metadata->if_contains("runs-on") : nullptr;
  skill.runs_on_box = source == Source::box && place && *place == "box";
  std::ranges::sort(files, {}, &PackageFile::path);
  skill.files = std::move(files);
  return skill;
}

std::string content_digest(const Skill& skill) {
  std::string sums;
  for (const auto& file : skill.files) sums += crypto::sha256_hex(file.content) + " " + file.path + "\n";
  return crypto::sha256_hex(sums);
}

}  // namespace skills
