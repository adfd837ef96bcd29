// The skills that agents can be given: the box's own, and the administrator's, which are folders of the data folder.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "appliance/network/skills/package.h"
#include "web/result.h"

namespace skills {

// Of the administrator's skills in the data folder.
inline constexpr std::string_view folder_name = "skills";

// Thread-safe.
class Catalogue {
 public:
  // `folder`: data/skills; it need not exist. Reads it; blocks. Folders that are no valid skill are logged and left
  // out.
  explicit Catalogue(std::filesystem::path folder);

  // Null: there is none.
  SkillPtr find(std::string_view name) const;
  // By name.
  std::vector<SkillPtr> list() const;

  struct Put {
    SkillPtr skill;
    bool is_new = true;
  };
  // Stores an administrator's skill durably, or replaces it whole, in one step. Blocks. conflict: the box has a skill
  // of this name; too_many: there are 200.
  web::Result<Put> put(Skill);
  // Blocks. not_found; conflict for the box's own.
  web::Result<void> remove(const std::string& name);

 private:
  void load();
  void keep(Skill);

  const std::filesystem::path folder_;
  std::mutex writing_;        // held while the folder is changed
  mutable std::mutex mutex_;  // protects skills_
  std::map<std::string, SkillPtr, std::less<>> skills_;
};

}  // namespace skills
