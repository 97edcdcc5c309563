#include "Smooth.h"

Smooth::Smooth(int values) : values_(values < 1 ? 1 : values > 16 ? 16 : values) {}

int Smooth::add(int value) {
  if (known_ == values_)
    sum_ -= last_[next_];
  else
    known_++;
  sum_ += value;
  last_[next_] = value;
  next_ = (next_ + 1) % values_;
  return sum_ / known_;
}
