// The text of HTML that people's programs write: of mails without a plain part.
#pragma once

#include <string>
#include <string_view>

namespace channels {

// Lines at paragraphs and breaks; without scripts, styles and what is in the head. In time proportional to the text.
std::string text_of_html(std::string_view html);

}  // namespace channels
