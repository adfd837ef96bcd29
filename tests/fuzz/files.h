// Files of the targets that work on a folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace fuzz {

// What no answer may contain: the content of a file outside of the folder.
inline constexpr std::string_view secret = "what lies outside";

// Makes the folders above the file as well.
inline void put(const std::filesystem::path& file, std::string_view content) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
}

inline std::string content_of(const std::filesystem::path& file) {
  std::stringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace fuzz
