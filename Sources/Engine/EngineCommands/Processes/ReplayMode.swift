import ArgumentParser

/// How one of the replays of `verify` works.
enum ReplayMode: String, ExpressibleByArgument, CaseIterable {
  /// Fold in memory, write pages.
  case memory
  /// Fold up to an event, and apply the last ones row by row, through the plain reader.
  case carried
}
