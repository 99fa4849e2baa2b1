#include "experiments/manual/topic.h"

#include <catch2/catch.hpp>
#include <string>

#include "core/errors.h"
#include "experiments/manual/terminal.h"

namespace orrery {
namespace {

using Catch::Contains;

const Topic& example() {
  static const Topic topic = read_topic("example", R"(# An example

What this page
is for.

## Words

- an item that
  goes on
- `code` and a [link](sweeps.md)

| key | does |
|---|---|
| `a` | one |
| b | either this \| or that, which takes more than a line of forty columns |

![a curve](curve.png)

```sh
.begins with a dot   -x
```

## More

The slope $\theta_t$.
)");
  return topic;
}

}  // namespace

TEST_CASE("A page is read as a title, a sentence and blocks") {
  CHECK(example().title == "An example");
  CHECK(example().about == "What this page is for.");
  CHECK(example().blocks.size() == 8);
  CHECK(section(example(), "More").size() == 1);
  CHECK(section(example(), "Nothing").empty());
  CHECK_THROWS_AS(read_topic("empty", "words"), UsageError);
  CHECK_THROWS_AS(read_topic("open", "# A\n\nB.\n\n```sh\n"), UsageError);
}

TEST_CASE("A terminal shows a page in lines of the width that it has") {
  CHECK(terminal_text(example(), 40) == R"(An example

  What this page is for.

Words

  - an item that goes on
  - `code` and a link

  key  does
  a    one
  b    either this | or that, which
       takes more than a line of forty
       columns

  picture: a curve

    .begins with a dot   -x

More

  The slope θₜ.
)");
}

TEST_CASE("A man page escapes what roff would obey") {
  const std::string page = man_page(example(), "1.2.3");
  CHECK_THAT(page, Catch::StartsWith(".TH ORRERY\\-EXAMPLE 7 \"\" \"orrery 1.2.3\"\n.SH NAME\n"
                                     "orrery\\-example \\- What this page is for\n"));
  CHECK_THAT(page, Contains("\n\\&.begins with a dot   \\-x\n") &&
                       Contains(".IP \\(bu 2\n\\fBcode\\fR and a link\n") &&
                       Contains(".SH SEE ALSO\norrery(1), orrery\\-sweeps(7)\n"));
}

TEST_CASE("The pages that come with Orrery are in order and found by name") {
  const std::vector<Topic>& all = topics();
  REQUIRE(all.size() > 10);
  for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i - 1].name < all[i].name);
  for (const Topic& topic : all) CHECK(topic.about.size() <= 70);  // a line of the list
  CHECK(find_topic("sweeps")->title == "Sweeps");
  CHECK(find_topic("swep") == nullptr);
}

}  // namespace orrery
