import ArgumentParser

/// How much of a comparison is shown as text.
struct DetailOptions: ParsableArguments {
  @Flag(
    name: [.long, .customShort("v"), .customLong("verbose")],
    help: ArgumentHelp(
      "Show everything as text: long values whole, columns such as updated_at and the tables projection_…."
    ))
  var all = false
}
