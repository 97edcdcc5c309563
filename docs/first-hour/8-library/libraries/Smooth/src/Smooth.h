#pragma once

class Smooth {  // the mean of the last values, 16 at most
public:
  explicit Smooth(int values);
  int add(int value);  // the mean with this one

private:
  int values_, known_ = 0, next_ = 0;
  int last_[16];
  long sum_ = 0;
};
