// Parsing and checking limits.
#include "compiler/report/Limits.h"

#include "compiler/report/ReportDiff.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace fly::report {

namespace {

struct OperatorRow {
  const char *text;
  Limit::Operator op;
};
constexpr OperatorRow operators[] = {
    // longer ones first
    {">=", Limit::GreaterEqual}, {"<=", Limit::LessEqual}, {"==", Limit::Equal},
    {"!=", Limit::NotEqual},     {">", Limit::Greater},    {"<", Limit::Less},
};

bool holds(Limit::Operator op, double a, double b) {
  switch (op) {
  case Limit::Greater: return a > b;
  case Limit::GreaterEqual: return a >= b;
  case Limit::Less: return a < b;
  case Limit::LessEqual: return a <= b;
  case Limit::Equal: return a == b;
  case Limit::NotEqual: return a != b;
  }
  return false;
}

/// Digits with at most one point.
bool isNumber(llvm::StringRef text) {
  return !text.empty() && llvm::isDigit(text.front()) && llvm::isDigit(text.back()) && text.count('.') <= 1 &&
         llvm::all_of(text, [](char c) { return llvm::isDigit(c) || c == '.'; }) && text.size() <= 18;
}

} // namespace

std::optional<LimitError> parseLimits(llvm::StringRef text, std::vector<Limit> &out) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    part = part.trim();
    auto fail = [&](const std::string &message, const std::string &unknown = "") {
      return LimitError{part.str(), message, unknown};
    };
    llvm::StringRef name = part.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    llvm::StringRef rest = part.drop_front(name.size()).ltrim();
    if (name.empty())
      return fail("a limit starts with a metric: `vgprs>+0`");
    Limit limit;
    limit.text = part.str();
    limit.metric = findMetric(name);
    if (!limit.metric)
      return fail("there is no metric `" + name.str() + "`", name.str());
    bool known = false;
    for (const OperatorRow &row : operators)
      if (!known && rest.consume_front(row.text)) {
        limit.op = row.op;
        known = true;
      }
    if (!known)
      return fail("after the metric comes one of > >= < <= == !=");
    rest = rest.trim();
    const bool negative = rest.starts_with("-");
    limit.relative = rest.consume_front("+") || rest.consume_front("-");
    limit.percent = rest.consume_back("%");
    if (limit.percent && !limit.relative)
      return fail("a percentage is relative to the baseline; write it with a sign: `+" + rest.str() + "%`");
    if (!isNumber(rest) || rest.getAsDouble(limit.number))
      return fail("a limit ends with a number");
    if (negative)
      limit.number = -limit.number;
    out.push_back(std::move(limit));
  }
  return std::nullopt;
}

LimitResult checkLimits(const std::vector<Limit> &limits, const Json &report, const Json *baseline) {
  LimitResult out;
  static const Json nothing = {{"objects", Json::array()}};
  for (const CodePair &pair : pairCode(baseline ? *baseline : nothing, report)) {
    const std::string name = nameOf(pair);
    if (!pair.after) {
      out.notes.push_back(name + ": in the baseline only");
      continue;
    }
    ++out.kernels;
    if (baseline && !pair.before)
      out.notes.push_back(name + ": not in the baseline");
    for (const Limit &limit : limits) {
      auto value = valueOf(*limit.metric, *pair.after);
      if (!value) {
        out.notes.push_back(name + ": the report has no `" + limit.metric->name + "`");
        continue;
      }
      if (!limit.relative) {
        if (holds(limit.op, double(*value), limit.number))
          out.broken.push_back({name, &limit, *value, std::nullopt});
        continue;
      }
      if (!pair.before)
        continue;
      auto old = valueOf(*limit.metric, *pair.before);
      if (!old) {
        out.notes.push_back(name + ": the baseline has no `" + limit.metric->name + "`");
        continue;
      }
      double grown = double(*value - *old);
      if (limit.percent ? holds(limit.op, grown * 100, limit.number * double(*old))
                        : holds(limit.op, grown, limit.number))
        out.broken.push_back({name, &limit, *value, *old});
    }
  }
  return out;
}

std::string describe(const Broken &broken) {
  return broken.kernel + ": " + broken.limit->metric->name + " is " + std::to_string(broken.value) +
         (broken.before ? ", was " + std::to_string(*broken.before) : "") + ": " + broken.limit->text;
}

} // namespace fly::report
