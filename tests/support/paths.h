#pragma once

#include <filesystem>
#include <string_view>

// Where the tests find files. Defined in a source that CMake generates, so that no other source holds a path of one
// clone.
namespace paths {

std::filesystem::path tests();                         // this repository's tests/
std::filesystem::path program(std::string_view name);  // a program of tests/CMakeLists.txt

}  // namespace paths
