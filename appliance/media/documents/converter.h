// `agentbox document KIND`: the child that makes text of a document. It runs confined, in a folder of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace documents {

inline constexpr std::string_view document_file = "document", text_file = "text";
inline constexpr std::size_t max_text_bytes = 2u << 20;

// By the name of the file: pdf, docx, xlsx, pptx, html or csv; nullopt for others. pdf is for pdftotext.
std::optional<std::string_view> kind_of(std::string_view path);

// Reads `document` and writes `text` in the working folder. Returns the exit code; failures are a sentence on stderr.
int convert(const std::string& kind);

}  // namespace documents
