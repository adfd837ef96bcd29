// Takes secrets out of bytes that stream.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace egress_proxy {

class Scrubber {
 public:
  // Each pattern with what stands in its place; none is empty.
  explicit Scrubber(std::vector<std::pair<std::string, std::string>> patterns);

  bool is_needed() const { return !patterns_.empty(); }
  // The bytes that are certain by now. A pattern may be split over any number
  // of calls.
  std::string feed(std::string_view bytes);
  // The rest, at the end.
  std::string finish();
  // A whole text.
  std::string clean(std::string_view text) const;

 private:
  // Up to `end`, where no pattern that begins before it is cut off.
  std::string take(bool is_last);
  std::size_t begun_at_end() const;

  std::vector<std::pair<std::string, std::string>> patterns_;
  std::size_t longest_ = 0;
  std::string held_;
};

}  // namespace egress_proxy
