// The received but unconsumed bytes of a connection, in one contiguous block.
#pragma once

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace web {

// Has a capacity of `idle_capacity` while empty, so that an idle connection is cheap; grows as needed. Views into it
// are valid until the next prepare(), consume() or assign().
class InputBuffer {
 public:
  static constexpr std::size_t idle_capacity = 2048;

  std::string_view view() const { return {data_.get() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }

  // Space for at least one more byte at the end; while empty, a block of at least `capacity`.
  boost::asio::mutable_buffer prepare(std::size_t capacity = idle_capacity) {
    if (empty()) {
      begin_ = end_ = 0;
      if (capacity_ < capacity || (capacity == idle_capacity && capacity_ != capacity)) reallocate(capacity);
    } else if (end_ == capacity_) {
      if (begin_ >= capacity_ / 2) {
        std::memmove(data_.get(), data_.get() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
      } else {
        reallocate(capacity_ * 2);
      }
    }
    return {data_.get() + end_, capacity_ - end_};
  }
  void commit(std::size_t bytes) { end_ += bytes; }
  void consume(std::size_t bytes) { begin_ += bytes; }

  // Replaces the content.
  void assign(std::string_view bytes) {
    if (capacity_ < bytes.size() || !data_) {
      capacity_ = std::max(bytes.size(), idle_capacity);
      data_ = std::make_unique_for_overwrite<char[]>(capacity_);
    }
    begin_ = 0;
    end_ = bytes.size();
    if (!bytes.empty()) std::memcpy(data_.get(), bytes.data(), bytes.size());
  }

 private:
  void reallocate(std::size_t capacity) {
    auto data = std::make_unique_for_overwrite<char[]>(capacity);
    if (!empty()) std::memcpy(data.get(), data_.get() + begin_, end_ - begin_);
    data_ = std::move(data);
    end_ -= begin_;
    begin_ = 0;
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace web
