#include "summarizer/metadata.h"

#include <algorithm>
#include <map>
#include <optional>

#include "summarizer/dom.h"
#include "summarizer/json_ld.h"
#include "summarizer/page_urls.h"
#include "summarizer/text.h"
#include "web/ascii.h"

namespace summarizer {
namespace {

constexpr std::size_t max_metadata_text = 200, max_date = 64, max_address = 8192;

bool is_link(std::string_view text) { return text.starts_with("http://") || text.starts_with("https://"); }

// The words of a space-separated attribute: rel="nofollow author".
bool has_value(std::string_view attribute, std::string_view value) {
  while (!attribute.empty()) {
    const auto word = attribute.substr(0, attribute.find_first_of(" \t\r\n"));
    if (web::equal_ignoring_case(word, value)) return true;
    attribute.remove_prefix(std::min(word.size() + 1, attribute.size()));
  }
  return false;
}

// The metadata in the elements of a page, the first of each kind.
class Reader {
 public:
  explicit Reader(const UrlResolver& urls) : urls_(urls) {}

  void read(const GumboNode& root) {
    walk(root, [this](const GumboNode& node) {
      if (const auto* element = element_of(node)) read_element(node, *element);
      return true;
    });
  }

  // The first of these names that is present.
  std::string meta(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (const auto found = meta_.find(name); found != meta_.end()) return found->second;
    }
    return {};
  }

  std::string author, date, language, canonical;

 private:
  void read_element(const GumboNode& node, const GumboElement& element) {
    switch (element.tag) {
      case GUMBO_TAG_HTML:
        language = collapsed(attribute(element, "lang"), max_date);
        if (language.empty()) language = collapsed(attribute(element, "xml:lang"), max_date);
        return;
      case GUMBO_TAG_META:
        for (const char* key : {"name", "property", "itemprop", "http-equiv"}) {
          const std::string name = web::lower_case(collapsed(attribute(element, key), max_metadata_text));
          std::string content = collapsed(attribute(element, "content"), max_address);
          if (!name.empty() && !content.empty()) meta_.emplace(name, std::move(content));
        }
        return;
      case GUMBO_TAG_LINK:
        if (canonical.empty() && has_value(attribute(element, "rel"), "canonical")) {
          canonical = urls_.absolute(attribute(element, "href")).value_or("");
        }
        return;
      default:
        break;
    }
    if (date.empty()) date = date_of(node, element);
    if (author.empty() && says_author(element)) author = collapsed(readable_text(node, max_metadata_text));
  }

  static bool says_author(const GumboElement& element) {
    return has_value(attribute(element, "rel"), "author") || has_value(attribute(element, "itemprop"), "author") ||
           has_value(attribute(element, "class"), "byline") || has_value(attribute(element, "class"), "author") ||
           has_value(attribute(element, "class"), "p-author");
  }
  static std::string date_of(const GumboNode& node, const GumboElement& element) {
    const bool marked = has_value(attribute(element, "itemprop"), "datePublished");
    if (!marked && element.tag != GUMBO_TAG_TIME) return {};
    for (const char* name : {"datetime", "content"}) {
      if (auto value = collapsed(attribute(element, name), max_date); !value.empty()) return value;
    }
    return collapsed(readable_text(node, max_date));
  }

  const UrlResolver& urls_;
  std::map<std::string, std::string, std::less<>> meta_;
};

// "By Jo Doe", "by: Jo Doe" -> "Jo Doe".
std::string without_by(std::string byline) {
  if (!web::starts_ignoring_case(byline, "by") || byline.size() < 4 || (byline[2] != ' ' && byline[2] != ':')) {
    return byline;
  }
  return std::string(web::trim(std::string_view(byline).substr(3)));
}

std::string host_of(std::string_view url) {
  const auto start = url.find("//");
  if (start == url.npos) return {};
  url.remove_prefix(start + 2);
  url = url.substr(0, url.find_first_of("/?#:"));
  if (url.starts_with("www.")) url.remove_prefix(4);
  return std::string(url);
}

std::string first_of(std::initializer_list<std::string> values) {
  for (const auto& value : values) {
    if (!value.empty()) return value;
  }
  return {};
}

}  // namespace

Metadata metadata_of(const Tree& tree, const boost::json::array& json_ld, std::string_view url) {
  const UrlResolver urls = urls_of(tree, url);
  Reader reader(urls);
  reader.read(tree.root());

  Metadata data;
  std::string author = reader.meta({"author", "article:author", "dc.creator", "dcterms.creator", "parsely-author"});
  if (is_link(author)) author.clear();
  data.byline =
      collapsed(without_by(first_of({author, json_ld_text(json_ld, "author.name"), reader.author})), max_metadata_text);
  data.published = collapsed(
      first_of({reader.meta({"article:published_time", "datepublished", "date", "dc.date", "dc.date.issued",
                             "dcterms.date", "dcterms.issued", "pubdate", "publish-date", "parsely-pub-date"}),
                json_ld_text(json_ld, "datePublished"), reader.date}),
      max_date);
  std::string locale = reader.meta({"og:locale"});
  std::ranges::replace(locale, '_', '-');
  data.language = first_of(
      {reader.language, reader.meta({"content-language", "dc.language"}), json_ld_text(json_ld, "inLanguage"), locale});
  data.site = collapsed(first_of({reader.meta({"og:site_name", "application-name"}),
                                  json_ld_text(json_ld, "publisher.name"), host_of(url)}),
                        max_metadata_text);
  data.canonical = first_of({reader.canonical, urls.absolute(reader.meta({"og:url"})).value_or(""), std::string(url)});
  return data;
}

}  // namespace summarizer
