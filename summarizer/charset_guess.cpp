#include "summarizer/charset_guess.h"

#include <algorithm>
#include <array>

#include "summarizer/charset.h"
#include "web/utf8.h"

namespace summarizer {
namespace {

constexpr std::size_t sample_bytes = 64 * 1024;
// The fewest characters outside ASCII for a guess.
constexpr std::size_t fewest = 6;
constexpr char32_t replacement_code_point = 0xfffd;

struct Range {
  char32_t first, last;
};

// An encoding, and the frequent characters of a language written in it.
struct Candidate {
  const char* charset;
  std::u32string_view frequent;
  Range script;  // also counts as frequent; {1, 0}: none
  double share;  // the share of the characters outside ASCII that must be frequent
};

constexpr Range no_script{1, 0}, kana{0x3041, 0x30fe}, hangul{0xac00, 0xd7a3};
constexpr std::u32string_view russian = U"оеаинтсрвлкмдпу", greek = U"αοιετσνηυρπκςάί", hebrew = U"יוהלאתרמבשנ",
                              arabic = U"اليمنوترهبعدة", thai = U"ารนกอเง่มยลวดท้สตะ",
                              simplified = U"的一是不了在人有我他这中大来上国个到说们为和地出也得生，。",
                              traditional = U"的一是不了在人有我他這中大來上國個到說們為和地出也得生，。";
constexpr std::array candidates{
    Candidate{"EUC-JP", U"、。", kana, 0.3},
    Candidate{"CP932", U"、。", kana, 0.3},
    Candidate{"CP949", {}, hangul, 0.8},
    Candidate{"GB18030", simplified, no_script, 0.12},
    Candidate{"BIG5-HKSCS", traditional, no_script, 0.12},
    Candidate{"CP1251", russian, no_script, 0.6},
    Candidate{"KOI8-R", russian, no_script, 0.6},
    Candidate{"CP866", russian, no_script, 0.6},
    Candidate{"ISO-8859-5", russian, no_script, 0.6},
    Candidate{"CP1253", greek, no_script, 0.6},
    Candidate{"CP1255", hebrew, no_script, 0.5},
    Candidate{"CP1256", arabic, no_script, 0.6},
    Candidate{"CP874", thai, no_script, 0.5},
};

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// Whether the bytes outside ASCII form words rather than single accented letters.
bool comes_in_runs(std::string_view bytes) {
  std::size_t high = 0, beside_another = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (is_ascii(bytes[i])) continue;
    ++high;
    const bool before = i > 0 && !is_ascii(bytes[i - 1]), after = i + 1 < bytes.size() && !is_ascii(bytes[i + 1]);
    if (before || after) ++beside_another;
  }
  return high >= fewest && beside_another * 10 >= high * 6;
}

// By how much the candidate exceeds its required share; 0 or less: it does not match.
double plausibility(std::string_view bytes, const Candidate& candidate) {
  const std::string text = to_utf8(bytes, candidate.charset);
  std::size_t outside_ascii = 0, frequent = 0, broken = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const auto point = web::decode_utf8(rest);
    rest.remove_prefix(std::max<std::size_t>(point.length, 1));
    if (point.value < 0x80) continue;
    ++outside_ascii;
    if (point.value == replacement_code_point) ++broken;
    const bool in_script = point.value >= candidate.script.first && point.value <= candidate.script.last;
    if (in_script || candidate.frequent.find(point.value) != candidate.frequent.npos) ++frequent;
  }
  // The end of the sample may have split a character.
  if (outside_ascii < fewest / 2 || broken > 1 + outside_ascii / 500) return 0;
  return double(frequent) / double(outside_ascii) / candidate.share - 1;
}

// UTF-16 without a byte-order mark: markup is ASCII, so that every second byte is zero.
std::string utf16(std::string_view bytes) {
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < bytes.size(); ++i) zeros[i % 2] += bytes[i] == '\0';
  const std::size_t many = bytes.size() / 4;
  if (bytes.size() < 2 * fewest || std::max(zeros[0], zeros[1]) < many) return {};
  if (std::min(zeros[0], zeros[1]) > many / 4) return {};
  return zeros[0] > zeros[1] ? "UTF-16BE" : "UTF-16LE";
}

bool has_japanese_escapes(std::string_view bytes) {
  return bytes.find("\x1b$B") != bytes.npos || bytes.find("\x1b$@") != bytes.npos;
}

}  // namespace

std::string guess_charset(std::string_view bytes) {
  const auto sample = bytes.substr(0, sample_bytes);
  if (auto charset = utf16(sample); !charset.empty()) return charset;
  if (has_japanese_escapes(sample)) return "ISO-2022-JP";
  if (web::is_utf8(bytes)) return "UTF-8";
  if (!comes_in_runs(sample)) return "CP1252";
  const Candidate* best = nullptr;
  double most = 0;
  for (const auto& candidate : candidates) {
    const double plausible = plausibility(sample, candidate);
    if (plausible <= most) continue;
    most = plausible;
    best = &candidate;
  }
  return best ? best->charset : "CP1252";
}

}  // namespace summarizer
