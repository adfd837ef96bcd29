// The sheets of XLSX files as CSV.
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>

#include "appliance/media/documents/office_file.h"

namespace documents {

namespace {

constexpr std::size_t max_columns = 256;

std::size_t number_in(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// 0 for "A7"; max_columns for what is beyond.
std::size_t column_of(std::string_view reference) {
  std::size_t column = 0;
  for (const char c : reference) {
    if (c < 'A' || c > 'Z') break;
    column = column * 26 + std::size_t(c - 'A' + 1);
    if (column > max_columns) return max_columns;
  }
  return column == 0 ? 0 : column - 1;
}

std::string csv_field(const std::string& value) {
  if (value.find_first_of(",\"\n\r") == value.npos) return value;
  std::string text = "\"";
  for (const char c : value) text.append(c == '"' ? 2 : 1, c);
  return text + "\"";
}

// Texts that cells share, by their number.
std::vector<std::string> shared_texts(OfficeFile& file) {
  std::vector<std::string> texts;
  const auto part = file.read("xl/sharedStrings.xml");
  if (!part) return texts;
  bool is_in_text = false;
  std::size_t phonetic = 0;
  read_xml(*part, {.open =
                       [&](std::string_view name, const Attributes&) {
                         if (name == "si") texts.emplace_back();
                         if (name == "rPh") ++phonetic;
                         if (name == "t") is_in_text = phonetic == 0;
                       },
                   .close =
                       [&](std::string_view name) {
                         if (name == "rPh") --phonetic;
                         if (name == "t") is_in_text = false;
                       },
                   .text =
                       [&](std::string_view text) {
                         if (is_in_text && !texts.empty()) texts.back() += text;
                       }});
  return texts;
}

bool is_date_format(std::string_view code) {
  bool is_quoted = false;
  for (const char c : code) {
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted && (c == 'y' || c == 'd' || c == 'h')) return true;
  }
  return false;
}

// Whether each style of cells shows dates.
std::vector<bool> date_styles(OfficeFile& file) {
  constexpr auto is_built_in_date = [](std::size_t format) {
    return (format >= 14 && format <= 22) || (format >= 45 && format <= 47);
  };
  std::vector<bool> styles;
  const auto part = file.read("xl/styles.xml");
  if (!part) return styles;
  std::map<std::size_t, bool> formats;
  bool is_in_cells = false;
  read_xml(*part, {.open =
                       [&](std::string_view name, const Attributes& given) {
                         if (name == "numFmt")
                           formats[number_in(given.get("numFmtId"))] = is_date_format(given.get("formatCode"));
                         if (name == "cellXfs") is_in_cells = true;
                         if (name != "xf" || !is_in_cells) return;
                         const auto format = number_in(given.get("numFmtId"));
                         const auto known = formats.find(format);
                         styles.push_back(known == formats.end() ? is_built_in_date(format) : known->second);
                       },
                   .close =
                       [&](std::string_view name) {
                         if (name == "cellXfs") is_in_cells = false;
                       },
                   .text = {}});
  return styles;
}

// Days since 1899-12-30, as Excel counts them.
std::string date_text(const std::string& value) {
  double days = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), days);
  constexpr double last_day = 2'958'466;  // 9999-12-31
  if (error != std::errc() || end != value.data() + value.size() || days < 0 || days >= last_day) return value;
  using namespace std::chrono;
  const auto seconds_since = seconds(std::llround(days * 86'400));
  const sys_seconds at = sys_days(year(1899) / 12 / 30) + seconds_since;
  const auto day = floor<std::chrono::days>(at);
  const year_month_day date(day);
  const hh_mm_ss time(at - day);
  char text[32];
  const bool has_time = time.to_duration().count() != 0;
  if (seconds_since < std::chrono::days(1))
    std::snprintf(text, sizeof text, "%02d:%02d:%02d", int(time.hours().count()), int(time.minutes().count()),
                  int(time.seconds().count()));
  else if (has_time)
    std::snprintf(text, sizeof text, "%04d-%02u-%02u %02d:%02d:%02d", int(date.year()), unsigned(date.month()),
                  unsigned(date.day()), int(time.hours().count()), int(time.minutes().count()),
                  int(time.seconds().count()));
  else
    std::snprintf(text, sizeof text, "%04d-%02u-%02u", int(date.year()), unsigned(date.month()), unsigned(date.day()));
  return text;
}

class SheetReader {
 public:
  SheetReader(const std::vector<std::string>& texts, const std::vector<bool>& dates, TextSink& sink)
      : texts_(texts), dates_(dates), sink_(sink) {}

  void read(std::string_view xml) {
    read_xml(xml, {.open = [this](std::string_view name, const Attributes& given) { open(name, given); },
                   .close = [this](std::string_view name) { close(name); },
                   .text =
                       [this](std::string_view text) {
                         if (is_in_value_) value_ += text;
                       }});
  }

 private:
  void open(std::string_view name, const Attributes& given) {
    if (name == "row") {
      row_.clear();
    } else if (name == "c") {
      const auto reference = given.get("r");
      column_ = reference.empty() ? row_.size() : column_of(reference);
      type_ = given.get("t");
      style_ = number_in(given.get("s"));
      value_.clear();
    } else if (name == "v" || name == "t") {
      is_in_value_ = true;
    }
  }

  void close(std::string_view name) {
    if (name == "v" || name == "t") {
      is_in_value_ = false;
    } else if (name == "c") {
      if (column_ >= max_columns) return;
      if (row_.size() <= column_) row_.resize(column_ + 1);
      row_[column_] = shown();
    } else if (name == "row") {
      while (!row_.empty() && row_.back().empty()) row_.pop_back();
      std::string line;
      for (std::size_t i = 0; i < row_.size(); ++i) line += (i > 0 ? "," : "") + csv_field(row_[i]);
      if (!line.empty()) sink_.add(line + "\n");
    }
  }

  std::string shown() const {
    if (type_ == "s") {
      const auto number = number_in(value_);
      return number < texts_.size() ? texts_[number] : std::string();
    }
    if (type_ == "b") return value_ == "1" ? "TRUE" : "FALSE";
    const bool is_number = type_.empty() || type_ == "n";
    return is_number && style_ < dates_.size() && dates_[style_] ? date_text(value_) : value_;
  }

  const std::vector<std::string>& texts_;
  const std::vector<bool>& dates_;
  TextSink& sink_;
  std::vector<std::string> row_;
  std::size_t column_ = 0, style_ = 0;
  std::string type_, value_;
  bool is_in_value_ = false;
};

// Parts of the workbook by the id of their relationship, as paths in the archive.
std::map<std::string, std::string> related_parts(OfficeFile& file) {
  std::map<std::string, std::string> parts;
  const auto relations = file.read("xl/_rels/workbook.xml.rels");
  if (!relations) return parts;
  read_xml(*relations, {.open =
                            [&](std::string_view name, const Attributes& given) {
                              if (name != "Relationship") return;
                              std::string target(given.get("Target"));
                              if (target.starts_with('/'))
                                target.erase(0, 1);
                              else
                                target.insert(0, "xl/");
                              parts.emplace(std::string(given.get("Id")), std::move(target));
                            },
                        .close = {},
                        .text = {}});
  return parts;
}

}  // namespace

void read_workbook(OfficeFile& file, TextSink& sink) {
  const auto workbook = file.read("xl/workbook.xml");
  if (!workbook) throw Unreadable("The file has no sheets: it is not an XLSX file.");
  struct Sheet {
    std::string name, id;
  };
  std::vector<Sheet> sheets;
  read_xml(*workbook, {.open =
                           [&](std::string_view name, const Attributes& given) {
                             if (name == "sheet")
                               sheets.push_back({std::string(given.get("name")), std::string(given.get("id"))});
                           },
                       .close = {},
                       .text = {}});
  const auto parts = related_parts(file);
  const auto texts = shared_texts(file);
  const auto dates = date_styles(file);
  for (const auto& sheet : sheets) {
    const auto part = parts.find(sheet.id);
    const auto xml = part == parts.end() ? std::nullopt : file.read(part->second);
    if (!xml) continue;
    sink.add("## Sheet " + sheet.name + "\n");
    SheetReader(texts, dates, sink).read(*xml);
    sink.add("\n");
  }
}

}  // namespace documents
