// Text of any script for a picture of a fixed size.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace videos {

// Of valid UTF-8.
std::size_t count_characters(std::string_view text);

// Whether its first letter is of a script that is written from right to left.
bool is_right_to_left(std::string_view text);

// Lines of at most `columns`, broken at spaces, inside words that are longer than a line, and between any two
// characters of scripts without spaces, which are two columns wide. White space at the ends of lines is dropped; line
// ends of the text are kept, empty lines are not.
std::vector<std::string> break_lines(std::string_view text, std::size_t columns);

// Parts of about `most` characters, at the ends of sentences where possible; at most `parts`, of which the last has
// what is left.
std::vector<std::string> split_text(std::string_view text, std::size_t most, std::size_t parts);

}  // namespace videos
