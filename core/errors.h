#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace orrery {

/// The cause of an error, which decides the exit status of a program.
enum class ErrorKind {
  usage,       ///< a parameter, key or name is wrong
  data,        ///< the caller's file or array is wrong
  io,          ///< reading or writing failed
  plan,        ///< the work to resume differs from the work that was begun
  locked,      ///< another run works on the same folder
  not_finite,  ///< a computation gave an infinity or a NaN
};

/// An error in the caller's request, in three parts: the offending value, the rule it
/// breaks, and the remedy. what() reads "VALUE: RULE; REMEDY".
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string_view value, std::string_view rule, std::string_view remedy);

  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

class UsageError : public Error {
 public:
  UsageError(std::string_view value, std::string_view rule, std::string_view remedy)
      : Error(ErrorKind::usage, value, rule, remedy) {}
};

class DataError : public Error {
 public:
  DataError(std::string_view value, std::string_view rule, std::string_view remedy)
      : Error(ErrorKind::data, value, rule, remedy) {}
};

class IoError : public Error {
 public:
  IoError(std::string_view value, std::string_view rule, std::string_view remedy)
      : Error(ErrorKind::io, value, rule, remedy) {}
};

class NotFiniteError : public Error {
 public:
  NotFiniteError(std::string_view value, std::string_view rule, std::string_view remedy)
      : Error(ErrorKind::not_finite, value, rule, remedy) {}
};

/// Ends with std::logic_error when one of our own assumptions is broken, in every build.
void check_invariant(bool holds, std::string_view assumption);

}  // namespace orrery
